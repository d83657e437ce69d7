#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the PodDisruptionBudget of the workers: one may be evicted, since its end takes the whole
/// gang along, with a checkpoint. So a drain goes on, whatever becomes of the operator, and no
/// further worker is taken while the checkpoint is written.
Json disruption_budget(const Plan& plan);

}  // namespace ganscale::controller::gan_training
