#include "gan_training/decide/status.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gan_training/decide/restart.h"
#include "kind/measured.h"
#include "kind/refusal.h"
#include "kind/summary.h"
#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

Condition validated(const Facts& facts) {
  if (facts.problem.empty()) return {"Validated", true, "Accepted", ""};
  return {"Validated", false, facts.problem_reason, facts.problem};
}

Condition scheduled(const Record& record, const Facts& facts) {
  const int running = facts.attempt ? facts.attempt->workers_running : 0;
  const bool all = facts.attempt && running >= facts.attempt->nodes;
  const std::string message = std::to_string(running) + " of " +
                              std::to_string(facts.attempt ? facts.attempt->nodes : facts.nodes) +
                              " workers running";
  return {"Scheduled", all, all ? "AllWorkersRun" : record.reason, message};
}

Condition progressing(const Record& record) {
  constexpr std::array kActive{Phase::kValidated, Phase::kScheduling, Phase::kRunning,
                               Phase::kResizing, Phase::kRestarting};
  const bool active = std::ranges::count(kActive, record.phase) > 0;
  return {"Progressing", active, record.reason.empty() ? "NotStarted" : record.reason,
          record.message};
}

Condition checkpointed(const Json& status) {
  const auto last = status.find("lastCheckpoint");
  if (last == status.end()) return {"Checkpointed", false, "NoneYet", ""};
  return {"Checkpointed", true, "Written", text_at(*last, "/name")};
}

/// Returns when the attempt may use a node again that it avoids for its fabric, if it lacks nodes.
std::optional<Time> waits_for_other_nodes_until(const Record& record, const Facts& facts) {
  const bool lacks_nodes = facts.attempt && facts.attempt->waits_reason == "Unschedulable";
  if (!lacks_nodes || record.fabric_accepted) return std::nullopt;
  std::optional<Time> until;
  for (const AvoidedNode& node : record.avoided) {
    if (node.for_fabric) until = std::min(until.value_or(node.until), node.until);
  }
  return until;
}

/// Says whether the last preflight passed and, if it did not, what became of it.
Condition fabric_ready(const Record& record, const Facts& facts) {
  const wire::Preflight& found = *record.preflight;
  if (found.passed()) return {"FabricReady", true, "PreflightPassed", ""};
  if (const auto until = waits_for_other_nodes_until(record, facts)) {
    return {"FabricReady", false, "TooFewNodes",
            "waits until " + format_time(*until) +
                " for nodes that it does not avoid, then trains on the others: " + found.message};
  }
  if (record.fabric_accepted) {
    return {"FabricReady", false, "Accepted", "trains nevertheless: " + found.message};
  }
  return {"FabricReady", false, kFabricBelowFloor, found.message};
}

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

Json measured_json(const wire::Measurement& measured) {
  Json json = to_json(measured_of(measured));
  json["images"] = measured.images;
  return json;
}

/// Notes where the workers run; what ran last stays known after its end.
void write_places(const Attempt& attempt, Json& status) {
  constexpr std::size_t kMostNames = 64;
  if (attempt.node_names.empty() || attempt.workers_running < attempt.nodes) return;
  std::vector<std::string> names = attempt.node_names;
  std::ranges::sort(names);
  names.resize(std::min(names.size(), kMostNames));
  status["nodeNames"] = names;
  if (!attempt.image_id.empty()) status["imageID"] = attempt.image_id;
}

/// Writes the worker's numbers into the status; what it does not report stays as last known.
void write_numbers(const wire::JobStatus& worker, Json& status) {
  status["kimg"] = rounded(worker.kimg(), 10);
  status["totalKimg"] = rounded(worker.total_kimg(), 10);
  if (worker.total_images > 0) {
    status["progressPercent"] =
        std::min(100.0, rounded(100 * worker.kimg() / worker.total_kimg(), 10));
  }
  const auto write = [&](const char* key, const std::optional<double>& value, double digits) {
    if (value && std::isfinite(*value)) status[key] = rounded(*value, digits);
  };
  if (!worker.model.empty()) status["model"] = worker.model;
  write("secondsPerKimg", worker.seconds_per_kimg, 1000);
  write("imagesPerSecond", worker.images_per_second, 10);
  write("etaSeconds", worker.eta_seconds, 1);
  write("fid", worker.fid, 100);
  if (worker.measured) status["measured"] = measured_json(*worker.measured);
  if (worker.last_checkpoint) {
    const Time written{std::chrono::seconds(worker.last_checkpoint->written_unix_seconds)};
    status["lastCheckpoint"] = {{"name", worker.last_checkpoint->name},
                                {"time", format_time(written)}};
  }
}

/// Returns what stays of a status. The next attempt does not find a checkpoint that went with the
/// pods, or that is on another volume, which a status of an older version does not name: then the
/// progress was that of other networks.
Json kept_status(const Json& old, const Record& record) {
  Json status = old.is_object() ? old : Json::object();
  const bool is_next_attempt = whole_at(status, "/attempt/number") != record.attempt;
  const std::string storage = text_at(status, "/attempt/storage", record.storage);
  if (is_next_attempt && (record.storage.empty() || storage != record.storage)) {
    for (const char* key : {"lastCheckpoint", "kimg", "progressPercent", "etaSeconds", "fid"})
      status.erase(key);
  }
  return status;
}

/// Without a control port, an attempt ends before the phase changes.
bool is_being_stopped(const Record& record) {
  const bool has_ended = record.state == AttemptState::kEnded;
  return record.ending.has_value() || (record.phase == Phase::kRunning && has_ended);
}

}  // namespace

Json next_status(const Json& old, const Record& record, const Facts& facts) {
  Json status = kept_status(old, record);
  write_record(record, status);
  status["observedGeneration"] = facts.generation;
  if (facts.problem.empty()) {
    status["nodes"] = facts.attempt ? facts.attempt->nodes : facts.nodes;
    status["gpus"] = facts.gpus;
    status["worldSize"] = facts.ranks;
    if (!facts.model.empty()) status["model"] = facts.model;
  }
  status["selector"] = facts.selector;
  if (facts.attempt) write_places(*facts.attempt, status);
  if (facts.worker) write_numbers(*facts.worker, status);
  const auto set = [&](const Condition& condition) {
    set_condition(status, condition, facts.generation, facts.now);
  };
  set(validated(facts));
  set(scheduled(record, facts));
  for (const Phase phase : {Phase::kRunning, Phase::kSucceeded, Phase::kFailed}) {
    set(phase_condition(phase, record.phase, record.reason, record.message));
  }
  const Refusal refusal = facts.problem.empty() ? refusal_of_server(old, facts.generation)
                                                : Refusal{facts.problem_reason, facts.problem};
  for (const Condition& condition : summary_conditions(record.phase, record.reason, record.message,
                                                       refusal, is_being_stopped(record))) {
    set(condition);
  }
  set(progressing(record));
  set(checkpointed(status));
  if (record.preflight) set(fabric_ready(record, facts));
  return status;
}

std::chrono::seconds waiting_time(const Json& training, Time now) {
  const Json status = training.value("status", Json::object());
  const Phase phase = read_phase(status);
  constexpr std::array kWaits{Phase::kPending, Phase::kValidated, Phase::kScheduling,
                              Phase::kResizing, Phase::kRestarting};
  if (std::ranges::count(kWaits, phase) == 0) return {};
  Time since = parse_time(training["metadata"].value("creationTimestamp", "")).value_or(now);
  for (const Json& condition : list_at(status, "/conditions")) {
    since = std::max(since, parse_time(condition.value("lastTransitionTime", "")).value_or(since));
  }
  return std::max(now - since, std::chrono::seconds{0});
}

}  // namespace ganscale::controller::gan_training
