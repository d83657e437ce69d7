#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// A plan of two nodes with eight GPUs each.
inline Plan make_plan() {
  Plan plan;
  plan.key = {"team", "faces"};
  plan.uid = "u";
  plan.spec.nodes = 2;
  plan.spec.image = "x";
  plan.spec.data = {"faces", "/data", ""};
  plan.spec.storage = {"runs", "/runs", ""};
  plan.profile.gpus = 8;
  plan.profile.ranks = 8;
  plan.config = worker_config(plan.spec, Json::object());
  return plan;
}

}  // namespace ganscale::controller::gan_training
