#pragma once

#include "gan_training/reconcile/observation.h"

namespace ganscale::controller::gan_training {

/// Restores the objects of a training that are missing or were changed: the ConfigMap, the
/// NetworkPolicy, the PodDisruptionBudget until it ends, and the MPIJob of the live attempt. For an
/// object that others changed the event PutBack names the field, unless the object has to change at
/// the same time, by an edit of the training or another version of the operator: a hash in an
/// annotation tells.
///
/// training: as it was last stored.
///
/// Returns whether an object was missing. Throws ApiError, TransportError; and NameTaken, once the
/// others are as they should be, if another owner has an object of the name of one.
bool keep_children(const GanTraining& training, const Observation& seen, const Record& record,
                   const Cluster& cluster);

}  // namespace ganscale::controller::gan_training
