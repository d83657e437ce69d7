#include "gan_training/decide/refused_pod.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::chrono::seconds kUsualDelay{10};

/// Of the MPI Operator, and of Kubernetes' controller of Jobs.
constexpr std::string_view kOfAWorker = "worker pod created failed: ";
constexpr std::array<std::string_view, 3> kPrefixes{
    kOfAWorker, "launcher pod created failed: ", "Error creating: "};

/// Words of the API server's, and what they amount to.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kReasons{{
    {"exceeded quota", "QuotaExceeded"},
    {"failed quota", "QuotaExceeded"},
    {"denied the request", "AdmissionDenied"},
    {"denied request", "AdmissionDenied"},
    {"violates PodSecurity", "AdmissionDenied"},
}};

/// Returns when an event was seen last. Those that repeat have it in their series, or in the field
/// of the older API.
std::string seen_last(const Json& event) {
  return std::max({text_at(event, "/series/lastObservedTime"),
                   text_at(event, "/deprecatedLastTimestamp"), text_at(event, "/eventTime")});
}

std::string reason_of(const std::string& words) {
  for (const auto& [part, reason] : kReasons) {
    if (words.find(part) != std::string::npos) return std::string(reason);
  }
  return "PodRefused";
}

}  // namespace

bool waits_for_pods(const Attempt& attempt, Time now) {
  return attempt.phase == JobPhase::kCreated && attempt.lacks_pods && !attempt.deleted &&
         attempt.waits_reason.empty() && attempt.started && now >= *attempt.started + kUsualDelay;
}

void observe_refusal(std::vector<Json> warnings, Attempt& attempt) {
  const bool lacks_launcher = attempt.workers_running >= attempt.nodes;
  if (lacks_launcher) {  // all workers are there by now
    std::erase_if(warnings, [](const Json& warning) {
      return text_at(warning, "/note").starts_with(kOfAWorker);
    });
  }
  const auto newest = std::ranges::max_element(warnings, {}, seen_last);
  if (newest == warnings.end()) {
    if (!lacks_launcher) return;
    attempt.waits_reason = "WaitsForLauncher";
    attempt.waits = "there is no launcher pod yet";
    return;
  }
  std::string words = text_at(*newest, "/note");
  for (const std::string_view prefix : kPrefixes) {
    if (words.starts_with(prefix)) words.erase(0, prefix.size());
  }
  attempt.waits_reason = reason_of(words);
  attempt.waits = words;
}

}  // namespace ganscale::controller::gan_training
