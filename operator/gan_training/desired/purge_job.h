#pragma once

#include <chrono>

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// How long the Job may run.
inline constexpr std::chrono::seconds kPurgeDeadline{3600};

/// Returns the Job that deletes the run folder of a training with deletePolicy Purge. Once it
/// begins, it ends, successfully or not, within kPurgeDeadline. When Kubernetes deletes it with the
/// training, it stays until its pods are gone, so that another training of the name can wait for
/// them. It is in no queue: there it would wait behind trainings.
Json purge_job(const Plan& plan);

}  // namespace ganscale::controller::gan_training
