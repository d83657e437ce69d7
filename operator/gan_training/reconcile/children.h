#pragma once

#include "gan_training/reconcile/observation.h"

namespace ganscale::controller::gan_training {

/// Applies the objects of a training that are missing or were changed: the ConfigMap, the
/// NetworkPolicy, the PodDisruptionBudget while it runs, and the MPIJob of the live attempt. For a
/// changed object the event PutBack names the field.
///
/// Returns whether an object was missing. Throws ApiError, TransportError.
bool keep_children(const GanTraining& training, const Observation& seen, const Record& record,
                   const Cluster& cluster);

}  // namespace ganscale::controller::gan_training
