#include "verbs/sweep_plan.h"

#include "base/error.h"
#include "scaling_sweep/plan/validate.h"

namespace ganscale::controller {

scaling_sweep::Plan sweep_plan(const Json& document, const NodeProfiles& profiles,
                               const WorkerSchema& schema) {
  const auto sweep = scaling_sweep::parse_sweep(document);
  auto checked = scaling_sweep::check_sweep(sweep, profiles, schema);
  if (!checked.reason.empty()) throw ConfigError(sweep.key.text() + ": " + checked.problem);
  return std::move(checked.plan);
}

}  // namespace ganscale::controller
