#pragma once

#include <string>

#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller {

/// Returns what kstatus, and with it Flux, says of a custom resource: Terminating, InProgress,
/// Failed or Current. After Compute() of sigs.k8s.io/cli-utils, pkg/kstatus/status.
inline std::string kstatus(const Json& object) {
  if (object.at("metadata").contains("deletionTimestamp")) return "Terminating";
  const Json status = object.value("status", Json::object());
  const bool is_observed = !status.contains("observedGeneration") ||
                           status["observedGeneration"] == object.at("metadata").at("generation");
  if (!is_observed) return "InProgress";
  for (const Json& condition : list_at(status, "/conditions")) {
    if (condition.at("status") != "True") continue;
    if (condition.at("type") == "Reconciling") return "InProgress";
    if (condition.at("type") == "Stalled") return "Failed";
  }
  const Json ready = find_condition(status, "Ready");
  return ready.is_null() || ready["status"] == "True" ? "Current" : "InProgress";
}

}  // namespace ganscale::controller
