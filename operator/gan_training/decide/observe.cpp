#include "gan_training/decide/observe.h"

#include <algorithm>

#include "gan_training/plan/pod_overlay.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

using Pointer = Json::json_pointer;

bool has_condition(const Json& object, const std::string& type) {
  const Json conditions = list_at(object, "/status/conditions");
  return std::ranges::any_of(conditions, [&](const Json& condition) {
    return condition.value("type", "") == type && condition.value("status", "") == "True";
  });
}

std::string condition_message(const Json& object, const std::string& type) {
  for (const Json& condition : list_at(object, "/status/conditions")) {
    if (condition.value("type", "") == type) return condition.value("message", "");
  }
  return "";
}

bool is_suspended(const Json& job) {
  return job.value(Pointer("/spec/runPolicy/suspend"), Json()) == true;
}

JobPhase phase_of(const Json& job) {
  if (has_condition(job, "Succeeded")) return JobPhase::kSucceeded;
  if (has_condition(job, "Failed")) return JobPhase::kFailed;
  if (is_suspended(job) || has_condition(job, "Suspended")) return JobPhase::kQueued;
  return has_condition(job, "Running") ? JobPhase::kRunning : JobPhase::kCreated;
}

bool is_launcher(const Json& pod) {
  return pod["metadata"]["labels"].value(kRoleLabel, "") == "launcher";
}

/// Returns the image of a worker's own container, with its digest; sidecars have others.
std::string image_id(const Json& pod) {
  for (const Json& status : list_at(pod, "/status/containerStatuses")) {
    if (text_at(status, "/name") == kWorkerPod) return text_at(status, "/imageID");
  }
  return "";
}

/// Returns the state `terminated` of the pod's container, or null.
Json terminated(const Json& pod) {
  for (const Json& status : list_at(pod, "/status/containerStatuses")) {
    if (Json state = status.value(Pointer("/state/terminated"), Json()); !state.is_null())
      return state;
  }
  return nullptr;
}

std::string why_lost(const Json& pod) {
  const std::string reason = text_at(pod, "/status/reason");
  if (reason == "Evicted" || reason == "NodeLost" || reason == "Shutdown") return reason;
  if (has_condition(pod, "DisruptionTarget")) {
    return "disrupted: " + condition_message(pod, "DisruptionTarget");
  }
  return "";
}

/// Reads the status that an attempt left; nothing if the words are others.
std::optional<wire::JobStatus> left_status(const std::string& words) {
  try {
    return wire::parse_job_status(nlohmann::ordered_json::parse(words));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void observe_launcher(const Json& pod, Attempt& attempt) {
  const std::string name = pod["metadata"]["name"];
  if (const std::string why = why_lost(pod); !why.empty()) attempt.lost = name + ": " + why;
  const Json state = terminated(pod);
  if (state.is_null()) return;
  const auto words = state.value("message", std::string());
  attempt.last_status = left_status(words);
  const int code = state.value("exitCode", 0);
  if (code == 0) return;
  attempt.exit_code = code;
  if (!words.empty() && !attempt.last_status) attempt.message = worker_error(words);
}

/// A worker that failed, is going, or was put in another's place after the launcher began.
/// Once the job has finished, the MPI Operator itself deletes workers.
std::string why_lost_worker(const Json& pod, const std::string& launcher_created, bool finished) {
  const std::string name = pod["metadata"]["name"];
  if (const std::string why = why_lost(pod); !why.empty()) return name + ": " + why;
  if (text_at(pod, "/status/phase") == "Failed") return name + ": failed";
  if (!finished && pod["metadata"].contains("deletionTimestamp")) return name + ": deleted";
  const std::string created = text_at(pod, "/metadata/creationTimestamp");
  if (!launcher_created.empty() && created > launcher_created) return name + ": replaced";
  return "";
}

void observe_worker(const Json& pod, const std::string& launcher_created, Attempt& attempt) {
  if (text_at(pod, "/status/phase") == "Running") {
    ++attempt.workers_running;
    if (const auto node = text_at(pod, "/spec/nodeName"); !node.empty()) {
      attempt.node_names.push_back(node);
    }
  }
  const std::string name = pod["metadata"]["name"];
  if (name == attempt.name + "-worker-0") {
    attempt.rank0_address = text_at(pod, "/status/podIP");
    attempt.image_id = image_id(pod);
  }
  if (!attempt.lost.empty()) return;
  attempt.lost = why_lost_worker(pod, launcher_created, attempt.finished());
}

Json essential_container(const Json& status) {
  Json kept = Json::object();
  for (const char* key : {"name", "imageID"}) {
    if (status.contains(key)) kept[key] = status[key];
  }
  if (Json end = status.value(Pointer("/state/terminated"), Json()); !end.is_null()) {
    kept["state"]["terminated"] = std::move(end);
  }
  return kept;
}

}  // namespace

int attempt_number(const Json& object) {
  const std::string text =
      object["metadata"].value("labels", Json::object()).value(kAttemptLabel, "");
  const bool is_number = !text.empty() && text.size() < 9 &&
                         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::stoi(text) : 0;
}

Attempt observe_attempt(const Json& job, const std::vector<Json>& pods) {
  Attempt attempt;
  attempt.number = attempt_number(job);
  attempt.name = job["metadata"]["name"];
  attempt.uid = job["metadata"].value("uid", "");
  attempt.deleted = job["metadata"].contains("deletionTimestamp");
  const Json annotations = job["metadata"].value("annotations", Json::object());
  attempt.hash = annotations.value(kHashAnnotation, "");
  attempt.config_hash = annotations.value(kConfigHashAnnotation, "");
  attempt.nodes = job.value(Pointer("/spec/mpiReplicaSpecs/Worker/replicas"), 0);
  attempt.phase = phase_of(job);
  attempt.suspended = is_suspended(job);
  if (attempt.phase == JobPhase::kFailed) attempt.message = condition_message(job, "Failed");
  std::string launcher_created;
  for (const Json& pod : pods) {
    if (!is_launcher(pod)) continue;
    launcher_created = std::max(launcher_created, text_at(pod, "/metadata/creationTimestamp"));
    observe_launcher(pod, attempt);
  }
  for (const Json& pod : pods) {
    if (!is_launcher(pod)) observe_worker(pod, launcher_created, attempt);
  }
  // The MPI Operator deletes the pods of a suspended job: none of them is lost.
  if (attempt.suspended && !attempt.finished()) attempt.lost.clear();
  return attempt;
}

Json essential_pod(const Json& pod) {
  Json result = {{"metadata", Json::object()}, {"status", Json::object()}};
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "labels",
                          "creationTimestamp", "deletionTimestamp"}) {
    if (pod["metadata"].contains(key)) result["metadata"][key] = pod["metadata"][key];
  }
  const Json status = pod.value("status", Json::object());
  for (const char* key : {"phase", "reason", "podIP"}) {
    if (status.contains(key)) result["status"][key] = status[key];
  }
  for (const Json& condition : status.value("conditions", Json::array())) {
    if (condition.value("type", "") == "DisruptionTarget") {
      result["status"]["conditions"].push_back(condition);
    }
  }
  for (const Json& container : status.value("containerStatuses", Json::array())) {
    if (Json kept = essential_container(container); !kept.empty()) {
      result["status"]["containerStatuses"].push_back(std::move(kept));
    }
  }
  if (const auto node = text_at(pod, "/spec/nodeName"); !node.empty()) {
    result["spec"]["nodeName"] = node;
  }
  return result;
}

std::string worker_error(const std::string& last_words) {
  static const std::string kPrefix = "ganscale: error: ";
  std::size_t begin = last_words.rfind(kPrefix);
  if (begin != std::string::npos) {
    begin += kPrefix.size();
    return last_words.substr(begin, last_words.find('\n', begin) - begin);
  }
  const std::size_t end = last_words.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  begin = last_words.rfind('\n', end);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return last_words.substr(begin, end + 1 - begin);
}

}  // namespace ganscale::controller::gan_training
