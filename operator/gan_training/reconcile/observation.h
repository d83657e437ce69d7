#pragma once

#include "gan_training/decide/life.h"
#include "gan_training/plan/validate.h"
#include "gan_training/reconcile/informers.h"

namespace ganscale::controller::gan_training {

/// Everything that one reconcile observes of a training.
struct Observation {
  Checked checked;
  Situation situation;
};

/// What specs are checked against.
struct Rules {
  const NodeProfiles& profiles;
  const WorkerSchema& schema;
};

/// Observes a training: its spec, its attempts and the objects that the spec refers to. An invalid
/// spec is reported as a problem of the observation, not thrown.
///
/// Throws ApiError, TransportError.
Observation observe(const GanTraining& training, const Cluster& cluster, const Rules& rules,
                    Time now);

}  // namespace ganscale::controller::gan_training
