#pragma once

#include <vector>

#include "controller/metrics.h"
#include "kube/informer.h"
#include "object/time.h"

namespace ganscale::controller::gan_training {

/// Adds the metrics of all trainings: the count by phase and the longest wait.
void collect_trainings(const std::vector<Informer::Object>& trainings, Time now,
                       Families& families);

}  // namespace ganscale::controller::gan_training
