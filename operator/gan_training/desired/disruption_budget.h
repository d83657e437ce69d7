#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the PodDisruptionBudget of the workers: one may be evicted, since its end ends the whole
/// gang, with a checkpoint. So a drain proceeds even without the operator, and no
/// further worker is evicted while the checkpoint is written.
///
/// attempt_nodes: of the attempt, which may have others than the plan; 0: the plan's.
Json disruption_budget(const Plan& plan, int attempt_nodes = 0);

}  // namespace ganscale::controller::gan_training
