#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the Job that deletes the run folder of a training with deletePolicy Purge. It ends,
/// successfully or not, within an hour.
Json purge_job(const Plan& plan);

}  // namespace ganscale::controller::gan_training
