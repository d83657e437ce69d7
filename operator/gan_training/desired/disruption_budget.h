#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the PodDisruptionBudget of the workers: while they run, none is taken away for
/// maintenance, since the loss of one ends the whole gang.
Json disruption_budget(const Plan& plan);

}  // namespace ganscale::controller::gan_training
