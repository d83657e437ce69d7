#pragma once

#include <string>

#include "gan_training/plan/plan.h"
#include "gan_training/plan/pod_overlay.h"

namespace ganscale::controller::gan_training {

/// Merges a value of a field into the operator's, by the rule of the field.
void merge(Json& own, const Json& overlay, const OverlayField& field);

/// Returns a pod template with the overlay that the plan has for it, after check_overlays().
///
/// pod: kWorkerPod or kLauncherPod. Its first container is the operator's and has that name; other
/// containers of the overlay are added after it.
Json overlaid(Json pod_template, const Plan& plan, const std::string& pod);

}  // namespace ganscale::controller::gan_training
