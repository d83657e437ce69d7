#pragma once

#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Keeps a pod off nodes, by its node affinity, whose other terms still hold.
void avoid_nodes(Json& pod_spec, const std::vector<std::string>& nodes);

}  // namespace ganscale::controller::gan_training
