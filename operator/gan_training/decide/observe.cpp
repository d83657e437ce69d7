#include "gan_training/decide/observe.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "gan_training/plan/pod_overlay.h"
#include "object/lookup.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

using Pointer = Json::json_pointer;

const std::string kErrorPrefix = "ganscale: error: ";

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
  return value_in(kRoles, pod["metadata"]["labels"].value(kRoleLabel, "")) == Role::kLauncher;
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

std::string words_of_disruption(const Json& pod) {
  return "disrupted: " + condition_message(pod, "DisruptionTarget");
}

/// Whether Kubernetes is taking a pod that still runs: it has its grace for a checkpoint.
bool is_leaving(const Json& pod) {
  return has_condition(pod, "DisruptionTarget") && text_at(pod, "/status/phase") == "Running";
}

std::string why_lost(const Json& pod) {
  const std::string reason = text_at(pod, "/status/reason");
  if (reason == "Evicted" || reason == "NodeLost" || reason == "Shutdown") return reason;
  if (has_condition(pod, "DisruptionTarget") && !is_leaving(pod)) return words_of_disruption(pod);
  return "";
}

/// Why the exit code of a container's end, 137 or 255, is not its program's; empty if it is.
std::string why_cut_off(const Json& end) {
  const std::string reason = text_at(end, "/reason");
  if (reason == "Unknown" || reason == "ContainerStatusUnknown") {
    return reason + ": its end was not observed; its node may have restarted";
  }
  if (reason != "OOMKilled") return "";
  return reason + ": its container reached its memory limit; raise " +
         "spec.podTemplate.launcher.spec.containers[launcher].resources.limits.memory";
}

/// Whether Kubernetes took a pod, by no fault of its own. A pod that was evicted for what it used
/// itself lacks the condition.
bool is_disrupted(const Json& pod) {
  const std::string reason = text_at(pod, "/status/reason");
  return reason == "NodeLost" || reason == "Shutdown" || has_condition(pod, "DisruptionTarget");
}

/// Reads the status that an attempt left; nothing if the words are others.
std::optional<wire::JobStatus> left_status(const std::string& words) {
  try {
    return wire::parse_job_status(nlohmann::ordered_json::parse(words));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Returns the rank that wrote the worker's last error; nothing if there is none.
std::optional<int> rank_of_error(const std::string& last_words) {
  const std::size_t begin = last_words.rfind(kErrorPrefix);
  if (begin == std::string::npos) return std::nullopt;
  std::istringstream words(last_words.substr(begin + kErrorPrefix.size()));
  std::string name;
  int rank = 0;  // which does not name itself
  if (words >> name && name == "[rank") words >> rank;
  return rank;
}

/// Reads the result of a preflight in a launcher's last words; nothing if there is none.
std::optional<wire::Preflight> told_preflight(const std::string& words) {
  std::size_t begin = words.rfind(wire::kPreflight);
  if (begin == std::string::npos) return std::nullopt;
  begin += std::string_view(wire::kPreflight).size();
  try {
    return wire::parse_preflight(
        nlohmann::ordered_json::parse(words.substr(begin, words.find('\n', begin) - begin)));
  } catch (const std::exception&) {
    return std::nullopt;  // it was cut off
  }
}

/// Returns the ranks whose device or whose node's fabric failed.
std::vector<int> failed_ranks(const Attempt& attempt) {
  std::vector<int> ranks;
  if (attempt.exit_code == static_cast<int>(ExitCode::kDevice)) {
    if (attempt.failed_rank || attempt.nodes == 1) ranks.push_back(attempt.failed_rank.value_or(0));
  } else if (attempt.exit_code == static_cast<int>(ExitCode::kFabric) && attempt.preflight) {
    for (const auto& node : attempt.preflight->faulty_nodes) ranks.push_back(node.first_rank);
  }
  return ranks;
}

/// Notes the nodes of these ranks: mpirun fills the workers in turn.
void observe_failed_nodes(const Json& job, const std::vector<Json>& pods, Attempt& attempt) {
  const auto slots = std::max<std::int64_t>(whole_at(job, "/spec/slotsPerWorker"), 1);
  for (const int rank : failed_ranks(attempt)) {
    const std::string worker = attempt.name + "-worker-" + std::to_string(rank / slots);
    for (const Json& pod : pods) {
      const std::string node = text_at(pod, "/spec/nodeName");
      if (pod["metadata"]["name"] == worker && !node.empty()) attempt.failed_nodes.push_back(node);
    }
  }
}

/// The attempt ends with its launcher, whose Job does not try again. Job and MPIJob say the same, but
/// only after their controllers have come to it.
void end_with_launcher(const Json& pod, int exit_code, Attempt& attempt) {
  const std::string phase = text_at(pod, "/status/phase");
  const bool has_ended = phase == "Succeeded" || phase == "Failed";
  if (!has_ended || attempt.suspended || attempt.finished()) return;
  attempt.phase = exit_code == 0 ? JobPhase::kSucceeded : JobPhase::kFailed;
}

void observe_launcher(const Json& pod, Attempt& attempt) {
  const std::string name = pod["metadata"]["name"];
  if (const std::string why = why_lost(pod); !why.empty()) attempt.lost = name + ": " + why;
  const Json state = terminated(pod);
  if (state.is_null()) return;
  const auto words = state.value("message", std::string());
  attempt.last_status = left_status(words);
  attempt.preflight = attempt.last_status ? attempt.last_status->preflight : told_preflight(words);
  const int code = state.value("exitCode", 0);
  end_with_launcher(pod, code, attempt);
  if (code == 0) return;
  attempt.exit_code = code;
  const std::string why = why_cut_off(state);
  if (attempt.lost.empty() && !why.empty()) attempt.lost = name + ": " + why;
  attempt.failed_rank = rank_of_error(words);
  if (!words.empty() && !attempt.last_status) attempt.message = worker_error(words);
}

/// A worker that failed, is going, or was put in another's place after the launcher began.
/// Once the job has finished, the MPI Operator itself deletes workers.
std::string why_lost_worker(const Json& pod, const std::string& launcher_created, bool finished) {
  const std::string name = pod["metadata"]["name"];
  if (const std::string why = why_lost(pod); !why.empty()) return name + ": " + why;
  if (text_at(pod, "/status/phase") == "Failed") return name + ": failed";
  if (is_leaving(pod)) return "";
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

/// Returns why a container does not start; empty while that is the normal course of things.
std::string why_container_waits(const Json& status) {
  const std::string reason = text_at(status, "/state/waiting/reason");
  if (reason == "ContainerCreating" || reason == "PodInitializing") return "";
  // The kubelet changes between the two, and between their words: a status would never rest.
  return reason == "ErrImagePull" ? "ImagePullBackOff" : reason;
}

/// Whether a condition says why there is no node for a pod.
bool is_unscheduled(const Json& condition) {
  return text_at(condition, "/type") == "PodScheduled" && text_at(condition, "/status") == "False";
}

/// Returns why a pod does not run: a word, and the words of the scheduler or of a container.
std::pair<std::string, std::string> why_waits(const Json& pod) {
  for (const Json& condition : list_at(pod, "/status/conditions")) {
    if (is_unscheduled(condition)) {
      return {text_at(condition, "/reason"), text_at(condition, "/message")};
    }
  }
  for (const char* list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const Json& status : list_at(pod, list)) {
      const std::string reason = why_container_waits(status);
      if (reason == "ImagePullBackOff") return {reason, text_at(status, "/image")};
      if (!reason.empty()) return {reason, text_at(status, "/state/waiting/message")};
    }
  }
  return {};
}

void observe_waiting(const Json& pod, Attempt& attempt) {
  if (!attempt.waits_reason.empty() || text_at(pod, "/status/phase") != "Pending") return;
  const auto [reason, words] = why_waits(pod);
  if (reason.empty()) return;
  attempt.waits_reason = reason;
  attempt.waits = pod["metadata"].value("name", "") + ": " + reason;
  if (!words.empty()) attempt.waits += ": " + words;
}

void note_leaving(const Json& pod, const std::string& why, Attempt& attempt) {
  if (attempt.leaving.empty()) attempt.leaving = pod["metadata"].value("name", "") + ": " + why;
}

/// Launchers come first: a worker is compared with them.
void observe_pods(const std::vector<Json>& pods, Attempt& attempt) {
  for (const Json& pod : pods) {
    observe_waiting(pod, attempt);
    if (is_leaving(pod)) note_leaving(pod, words_of_disruption(pod), attempt);
  }
  std::string launcher_created;
  for (const Json& pod : pods) {
    if (!is_launcher(pod)) continue;
    launcher_created = std::max(launcher_created, text_at(pod, "/metadata/creationTimestamp"));
    observe_launcher(pod, attempt);
  }
  for (const Json& pod : pods) {
    if (!is_launcher(pod)) observe_worker(pod, launcher_created, attempt);
  }
}

bool lacks_pods(const std::vector<Json>& pods, const Attempt& attempt) {
  const auto launchers = std::ranges::count_if(pods, is_launcher);
  if (std::ssize(pods) - launchers < attempt.nodes) return true;
  return launchers == 0 && attempt.workers_running >= attempt.nodes;
}

/// Whether a condition of a pod is read.
bool is_essential(const Json& condition) {
  return text_at(condition, "/type") == "DisruptionTarget" || is_unscheduled(condition);
}

/// Returns an object with only these of its fields, if it has them.
Json parts_of(const Json& object, std::initializer_list<const char*> keys) {
  Json parts = Json::object();
  for (const char* key : keys) {
    if (object.contains(key)) parts[key] = object[key];
  }
  return parts;
}

Json essential_container(const Json& status) {
  Json kept = parts_of(status, {"name", "imageID"});
  if (!why_container_waits(status).empty()) {
    kept["state"]["waiting"] = status["state"]["waiting"];
    kept["image"] = status.value("image", "");
  }
  if (Json end = status.value(Pointer("/state/terminated"), Json()); !end.is_null()) {
    kept["state"]["terminated"] = std::move(end);
  }
  return kept;
}

/// Returns the control port of an MPIJob's workers; 0 if they have none.
int control_port_of(const Json& job) {
  for (const Json& container :
       list_at(job, "/spec/mpiReplicaSpecs/Worker/template/spec/containers")) {
    if (text_at(container, "/name") != kWorkerPod) continue;
    for (const Json& port : list_at(container, "/ports")) {
      if (text_at(port, "/name") == kControlPort) {
        return static_cast<int>(whole_at(port, "/containerPort"));
      }
    }
  }
  return 0;
}

/// Whether an MPIJob's launcher, or its workers, run on cordoned nodes, too, by a toleration.
bool tolerates_cordon(const Json& job, bool launcher) {
  const char* path = launcher ? "/spec/mpiReplicaSpecs/Launcher/template/spec/tolerations"
                              : "/spec/mpiReplicaSpecs/Worker/template/spec/tolerations";
  return std::ranges::any_of(list_at(job, path), [](const Json& toleration) {
    const std::string key = text_at(toleration, "/key");
    const std::string effect = text_at(toleration, "/effect");
    return (key.empty() || key == "node.kubernetes.io/unschedulable") &&
           (effect.empty() || effect == "NoSchedule");
  });
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
  attempt.request = annotation_of(job, kRequestAnnotation);
  attempt.hash = annotation_of(job, kHashAnnotation);
  attempt.config_hash = annotation_of(job, kConfigHashAnnotation);
  attempt.nodes = job.value(Pointer("/spec/mpiReplicaSpecs/Worker/replicas"), 0);
  attempt.control_port = control_port_of(job);
  attempt.phase = phase_of(job);
  attempt.suspended = is_suspended(job);
  if (attempt.phase == JobPhase::kFailed) attempt.message = condition_message(job, "Failed");
  attempt.disrupted = std::ranges::any_of(pods, is_disrupted);
  attempt.started =
      parse_time(text_at(job, "/status/startTime", text_at(job, "/metadata/creationTimestamp")));
  observe_pods(pods, attempt);
  attempt.lacks_pods = lacks_pods(pods, attempt);
  observe_failed_nodes(job, pods, attempt);
  // The MPI Operator deletes the pods of a suspended job: none of them is lost.
  if (attempt.suspended && !attempt.finished()) attempt.lost.clear();
  return attempt;
}

void observe_cordons(const Json& job, const std::vector<Json>& pods,
                     const std::function<bool(const std::string&)>& is_cordoned, Attempt& attempt) {
  for (const Json& pod : pods) {
    const std::string phase = text_at(pod, "/status/phase");
    const std::string node = text_at(pod, "/spec/nodeName");
    if ((phase != "Running" && phase != "Pending") || node.empty() || !is_cordoned(node)) continue;
    if (tolerates_cordon(job, is_launcher(pod))) continue;
    note_leaving(pod, "its node is cordoned: " + node, attempt);
    attempt.disrupted = true;
  }
}

bool is_of_job(const Json& pod) {
  return std::ranges::any_of(list_at(pod, "/metadata/ownerReferences"), [](const Json& owner) {
    const std::string kind = text_at(owner, "/kind");
    return owner.value("controller", false) && (kind == "MPIJob" || kind == "Job");
  });
}

Json essential_pod(const Json& pod) {
  Json result = {
      {"metadata",
       parts_of(pod["metadata"], {"name", "namespace", "uid", "resourceVersion", "labels",
                                  "ownerReferences", "creationTimestamp", "deletionTimestamp"})}};
  const Json status = pod.value("status", Json::object());
  result["status"] = parts_of(status, {"phase", "reason", "podIP"});
  for (const Json& condition : status.value("conditions", Json::array())) {
    if (is_essential(condition)) result["status"]["conditions"].push_back(condition);
  }
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& container : status.value(list, Json::array())) {
      if (Json kept = essential_container(container); !kept.empty()) {
        result["status"][list].push_back(std::move(kept));
      }
    }
  }
  if (const auto node = text_at(pod, "/spec/nodeName"); !node.empty()) {
    result["spec"]["nodeName"] = node;
  }
  return result;
}

std::string worker_error(const std::string& last_words) {
  std::size_t begin = last_words.rfind(kErrorPrefix);
  if (begin != std::string::npos) {
    begin += kErrorPrefix.size();
    return last_words.substr(begin, last_words.find('\n', begin) - begin);
  }
  const std::size_t end = last_words.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  begin = last_words.rfind('\n', end);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return last_words.substr(begin, end + 1 - begin);
}

}  // namespace ganscale::controller::gan_training
