#pragma once

#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Nodes that an attempt avoids.
struct AvoidedNodes {
  std::vector<std::string> always = {};
  std::vector<std::string> if_possible = {};  ///< it runs on them rather than to wait
};

/// Keeps a pod off nodes, by its node affinity, whose other terms still hold.
void avoid_nodes(Json& pod_spec, const AvoidedNodes& nodes);

}  // namespace ganscale::controller::gan_training
