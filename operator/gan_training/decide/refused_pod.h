#pragma once

#include <string>

#include "gan_training/decide/observe.h"
#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Whether an attempt waits for pods that are not there, for no other known reason: a quota or an
/// admission webhook may refuse them.
bool waits_for_pods(const Attempt& attempt, Time now);

/// Notes in an attempt why its pods are refused, by the newest of the warnings about its MPIJob and
/// its launcher's Job (events.k8s.io/v1): QuotaExceeded, AdmissionDenied or PodRefused, with the
/// words of the API server; WaitsForLauncher if only the launcher is missing and nothing says why.
void observe_refusal(std::vector<Json> warnings, Attempt& attempt);

}  // namespace ganscale::controller::gan_training
