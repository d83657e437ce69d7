#include "report/mlflow/mlflow_upload.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/log.h"
#include "config/node.h"
#include "files/atomic_file.h"
#include "files/hex.h"
#include "report/log/line_values.h"
#include "report/log/stats_log.h"
#include "report/mlflow/mlflow_entities.h"

namespace ganscale::report {
namespace {

using nlohmann::ordered_json;

constexpr EnumNames<MlflowStatus, 3> kStatusNames = {{{MlflowStatus::kFinished, "FINISHED"},
                                                      {MlflowStatus::kFailed, "FAILED"},
                                                      {MlflowStatus::kKilled, "KILLED"}}};

constexpr const char* kUploadTag = "ganscale.upload_id";

std::int64_t now_ms() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

std::string new_upload_id() {
  std::random_device device;
  return files::hex(std::uint64_t{device()} << 32 | device());
}

/// Returns the names of the images in a folder; none if it does not exist.
std::set<std::string> images_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".png") names.insert(entry.path().filename().string());
  }
  return names;
}

std::int64_t images_seen_of(const ordered_json& line) {
  return integer_in(line, "images_seen", -1);
}

void add_keys(const ordered_json& line, std::set<std::string>& keys) {
  for (const auto& [key, value] : mlflow_metrics(line)) keys.insert(key);
}

/// Returns whether a line has other metrics than these: `ganscale evaluate` adds some to a run that
/// is over. If none of its step's are known, an older version has sent them.
bool has_others(const ordered_json& line, const std::set<std::string>& keys) {
  const auto is_other = [&](const auto& metric) { return !keys.contains(metric.first); };
  return !keys.empty() && std::ranges::any_of(mlflow_metrics(line), is_other);
}

}  // namespace

MlflowUpload::MlflowUpload(const MlflowAccess& access, MlflowSource source,
                           std::chrono::milliseconds timeout)
    : source_(std::move(source)),
      start_ms_(now_ms()),
      client_(access, timeout),
      state_(read_state(access)),
      stats_{source_.stats, state_.stats_images_seen, state_.stats_keys},
      metrics_{source_.metrics, state_.metrics_images_seen, state_.metrics_keys} {
  // A run that was killed repeats what came after its last checkpoint.
  for (const Followed* sent : {&stats_, &metrics_}) {
    if (sent->images_seen <= source_.images_seen_begin) continue;
    sent->images_seen = source_.images_seen_begin;
    sent->keys.clear();
  }
}

MlflowState MlflowUpload::read_state(const MlflowAccess& access) const {
  MlflowState fresh;
  fresh.uri = access.uri;
  fresh.experiment = access.experiment;
  if (!std::filesystem::exists(source_.state)) return fresh;
  const std::string text = files::read_file(source_.state);
  try {
    const MlflowState state = parse_mlflow_state(text);
    return state.uri == access.uri && state.experiment == access.experiment ? state : fresh;
  } catch (const DataError& error) {
    log::warning("Cannot read which MLflow run this is: begins a new one",
                 {{"file", source_.state}, {"reason", error.what()}});
    return fresh;
  }
}

void MlflowUpload::save() const {
  files::write_file_atomically(source_.state, nlohmann::json(state_).dump(1) + "\n");
}

/// Returns the id of the experiment, which it makes if there is none.
std::string MlflowUpload::find_experiment() {
  const auto find = [this] {
    const auto found = client_.get("experiments/get-by-name", "experiment_name", state_.experiment);
    return id_of_answer(found, {"experiment", "experiment_id"});
  };
  try {
    return find();
  } catch (const MlflowError& error) {
    if (error.code() != "RESOURCE_DOES_NOT_EXIST") throw;
  }
  try {
    return id_of_answer(client_.post("experiments/create", {{"name", state_.experiment}}),
                        {"experiment_id"});
  } catch (const MlflowError& error) {
    if (error.code() != "RESOURCE_ALREADY_EXISTS") throw;  // another run has just made it
  }
  return find();
}

/// Returns the id of the run that an earlier request has made whose answer was lost; empty if there
/// is none.
std::string MlflowUpload::find_lost_run() {
  if (state_.upload_id.empty()) return "";
  const auto found =
      client_.post("runs/search",
                   {{"experiment_ids", ordered_json::array({find_experiment()})},
                    {"filter", std::string("tags.") + kUploadTag + " = '" + state_.upload_id + "'"},
                    {"max_results", 1}});
  const auto* const runs = find_at(found, {"runs"});
  if (runs == nullptr || !runs->is_array() || runs->empty()) return "";
  return id_of_answer(runs->front(), {"info", "run_id"});
}

void MlflowUpload::create_run() {
  if (state_.upload_id.empty()) {
    state_.upload_id = new_upload_id();
    save();  // before the request, whose answer this process may not live to see
  }
  ordered_json facts = source_.facts;
  facts[kUploadTag] = state_.upload_id;
  const auto created = client_.post("runs/create", {{"experiment_id", find_experiment()},
                                                    {"run_name", source_.run_name},
                                                    {"start_time", start_ms_},
                                                    {"tags", mlflow_tags(facts)}});
  state_.run_id = id_of_answer(created, {"run", "info", "run_id"});
  artifact_uri_ = text_of_answer(created, {"run", "info", "artifact_uri"});
  save();
}

void MlflowUpload::open_run() {
  if (is_open_) return;
  if (state_.run_id.empty()) state_.run_id = find_lost_run();
  if (state_.run_id.empty()) {
    create_run();
  } else {
    const auto updated =
        client_.post("runs/update", {{"run_id", state_.run_id}, {"status", "RUNNING"}});
    artifact_uri_ = text_of_answer(updated, {"run_info", "artifact_uri"});
  }
  is_open_ = true;
  log::info("Logging to MLflow",
            {{"server", state_.uri}, {"experiment", state_.experiment}, {"run_id", state_.run_id}});
}

/// Sends the parameters once: MLflow refuses others later.
void MlflowUpload::send_params() {
  if (state_.has_params) return;
  for (const auto& params : mlflow_params(config::parse_yaml(source_.config, "config.yaml")))
    client_.post("runs/log-batch", {{"run_id", state_.run_id}, {"params", params}});
  state_.has_params = true;
  save();
}

void MlflowUpload::send_lines(Followed& from) {
  std::uint64_t end_bytes = from.offset_bytes;
  auto lines = read_json_lines(from.file, end_bytes);
  std::erase_if(lines, [&](const ordered_json& line) {
    const auto seen = images_seen_of(line);
    return seen < from.images_seen || (seen == from.images_seen && !has_others(line, from.keys));
  });
  for (const MlflowBatch& batch : mlflow_batches(lines, now_ms())) {
    client_.post("runs/log-batch", {{"run_id", state_.run_id}, {"metrics", batch.metrics}});
    if (batch.images_seen > from.images_seen) from.keys.clear();
    from.images_seen = std::max(from.images_seen, batch.images_seen);
    for (const ordered_json& line : lines) {
      if (images_seen_of(line) == from.images_seen) add_keys(line, from.keys);
    }
    save();
  }
  from.offset_bytes = end_bytes;
}

void MlflowUpload::send() {
  open_run();
  send_params();
  send_lines(stats_);
  send_lines(metrics_);
}

void MlflowUpload::send_artifacts() {
  // The server stores what it names so; for any other address it expects clients to do that.
  constexpr std::string_view kProxied = "mlflow-artifacts:/";
  const bool is_proxied =
      artifact_uri_.starts_with(kProxied) && !artifact_uri_.starts_with("mlflow-artifacts://");
  if (!is_proxied) {
    log::warning(
        "The MLflow server does not store artifacts itself (mlflow server --serve-artifacts), so "
        "sample grids and report are not sent",
        {{"artifact_uri", artifact_uri_}});
    return;
  }
  try {
    send_artifacts_to(artifact_uri_.substr(kProxied.size()) + "/");
  } catch (const MlflowError& error) {
    if (error.may_pass()) throw;
    log::warning("The MLflow server refuses sample grids and report", {{"reason", error.what()}});
  }
}

/// folder: of this run on the server.
void MlflowUpload::send_artifacts_to(const std::string& folder) {
  for (const auto& name : images_in(source_.samples)) {
    if (state_.samples.contains(name)) continue;
    client_.put_artifact(folder + "samples/" + name, files::read_file(source_.samples / name));
    state_.samples.insert(name);
    save();
  }
  if (std::filesystem::exists(source_.report))
    client_.put_artifact(folder + "report.html", files::read_file(source_.report));
}

void MlflowUpload::end(MlflowStatus status) {
  send();
  client_.post("runs/update", {{"run_id", state_.run_id},
                               {"status", name_in(kStatusNames, status)},
                               {"end_time", now_ms()}});
  send_artifacts();
}

}  // namespace ganscale::report
