#include "cli/serve/live_run.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "checkpoint/run_files.h"
#include "cli/serve/draw_image.h"
#include "cli/serve/live_page.h"
#include "files/is_locked.h"
#include "report/page/html_report.h"

namespace ganscale::cli {
namespace {

namespace fs = std::filesystem;
namespace run_files = checkpoint::run_files;
using Json = nlohmann::ordered_json;

PageReply json_reply(const Json& json) {
  // Names of files and labels need not be UTF-8.
  return {.media_type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

/// Returns a text that changes when the report would.
std::string version_of(const fs::path& run) {
  constexpr std::array kShown{run_files::kConfig,  run_files::kProvenance, run_files::kLog,
                              run_files::kStats,   run_files::kMetrics,    run_files::kLabelsTable,
                              run_files::kSamples, run_files::kCheckpoints};
  std::string version;
  for (const std::string_view name : kShown) {
    std::error_code missing;
    const auto written = fs::last_write_time(run / name, missing);
    version += missing ? "-" : std::to_string(written.time_since_epoch().count()) + "-";
  }
  return version;
}

Json choices_json(const training::TrainedGenerator& trained) {
  const Choices choices = choices_of(trained);
  Json json{{"truncation", nullptr}, {"classes", Json::array()}};
  if (choices.truncation)
    json["truncation"] = {{"least", choices.truncation->least}, {"most", choices.truncation->most}};
  for (const auto label : choices.labels) {
    const auto place = static_cast<std::size_t>(label);
    const bool has_name = place < trained.label_names.size();
    json["classes"].push_back(
        {{"label", label}, {"name", has_name ? trained.label_names[place] : ""}});
  }
  return json;
}

}  // namespace

LiveRun::LiveRun(fs::path run, c10::Device device)
    : run_(std::move(run)), generator_(run_, device) {
  report::read_run(run_);
}

PageReply LiveRun::answer(const PageRequest& request) {
  try {
    if (request.path == "/") return page();
    if (request.path == "/state") return state();
    if (request.path == "/report") return report();
    if (request.path == "/image") return image(request.query);
    return error_reply(404, "no such path: " + request.path);
  } catch (const UsageError& error) {
    return error_reply(400, error.what());
  } catch (const std::exception& error) {
    return error_reply(503, error.what());
  }
}

PageReply LiveRun::page() const {
  return {.media_type = "text/html; charset=utf-8",
          .body = live_page(fs::canonical(run_).filename().string())};
}

PageReply LiveRun::state() {
  Json json{{"version", version_of(run_)}, {"running", files::is_locked(run_ / run_files::kLock)}};
  try {
    if (const auto* trained = generator_.refresh()) {
      json["checkpoint"] = trained->checkpoint.filename().string();
      json["kimg"] = static_cast<double>(trained->images_seen) / 1000;
      json.update(choices_json(*trained));
    }
  } catch (const std::exception& error) {
    json["error"] = error.what();
  }
  return json_reply(json);
}

PageReply LiveRun::report() const {
  const auto sections = report::report_sections(report::read_run(run_));
  return json_reply({{"progress", sections.progress}, {"details", sections.details}});
}

PageReply LiveRun::image(const Query& query) {
  const auto* trained = generator_.refresh();
  if (trained == nullptr) return error_reply(503, "this run has no checkpoint yet");
  const auto request = parse_image_request(query, choices_of(*trained));
  return {.media_type = "image/png", .body = draw_image(*trained, request)};
}

}  // namespace ganscale::cli
