#include "gan_training/desired/disruption_budget.h"

namespace ganscale::controller::gan_training {

Json disruption_budget(const Plan& plan, int attempt_nodes) {
  const int nodes = attempt_nodes > 0 ? attempt_nodes : plan.spec.nodes;
  const Json selector = {
      {"matchLabels",
       {{kTrainingLabel, plan.key.name}, {kRoleLabel, name_in(kRoles, Role::kWorker)}}}};
  return {{"apiVersion", "policy/v1"},
          {"kind", "PodDisruptionBudget"},
          {"metadata", metadata_of(plan, plan.key.name)},
          {"spec", {{"minAvailable", nodes - 1}, {"selector", selector}}}};
}

}  // namespace ganscale::controller::gan_training
