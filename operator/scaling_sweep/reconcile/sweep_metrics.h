#pragma once

#include <vector>

#include "controller/metrics.h"
#include "kube/informer.h"

namespace ganscale::controller::scaling_sweep {

/// Adds the count of all sweeps by phase, the phase of each, and the figures of its points as its
/// status has them.
void collect_sweeps(const std::vector<Informer::Object>& sweeps, Families& families);

}  // namespace ganscale::controller::scaling_sweep
