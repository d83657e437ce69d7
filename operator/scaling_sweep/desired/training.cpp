#include "scaling_sweep/desired/training.h"

namespace ganscale::controller::scaling_sweep {

Json training(const Plan& plan, const SweepRun& run) {
  const PlannedPoint& point = plan.points.at(run.point);
  Json metadata = metadata_of(plan, run.name);
  metadata["annotations"] = {{kRunHashAnnotation, point.hash}};
  return {{"apiVersion", kApiVersion},
          {"kind", gan_training::kKind},
          {"metadata", metadata},
          {"spec", point.training}};
}

}  // namespace ganscale::controller::scaling_sweep
