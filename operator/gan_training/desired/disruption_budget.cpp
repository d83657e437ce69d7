#include "gan_training/desired/disruption_budget.h"

namespace ganscale::controller::gan_training {

Json disruption_budget(const Plan& plan) {
  const Json selector = {
      {"matchLabels", {{kTrainingLabel, plan.key.name}, {kRoleLabel, kRoles.of(Role::kWorker)}}}};
  return {{"apiVersion", "policy/v1"},
          {"kind", "PodDisruptionBudget"},
          {"metadata", metadata_of(plan, plan.key.name)},
          {"spec", {{"minAvailable", plan.spec.nodes - 1}, {"selector", selector}}}};
}

}  // namespace ganscale::controller::gan_training
