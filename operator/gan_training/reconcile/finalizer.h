#pragma once

#include "gan_training/spec/gan_training.h"
#include "kube/client.h"

namespace ganscale::controller::gan_training {

/// Adds or removes our finalizer. Throws ApiError, with code 409 if our copy of the training is
/// stale, but not for a training that is gone; TransportError.
void set_finalizer(const GanTraining& training, bool wanted, Client& client);

}  // namespace ganscale::controller::gan_training
