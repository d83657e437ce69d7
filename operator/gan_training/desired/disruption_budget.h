#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the PodDisruptionBudget of the workers: one may be evicted, since its end ends the whole
/// gang, with a checkpoint. So a drain proceeds even without the operator, and no
/// further worker is evicted while the checkpoint is written.
Json disruption_budget(const Plan& plan);

}  // namespace ganscale::controller::gan_training
