#pragma once

#include <string>

#include "gan_training/decide/life.h"
#include "gan_training/plan/validate.h"
#include "gan_training/reconcile/informers.h"

namespace ganscale::controller::gan_training {

/// Observes whether the run folder of a deleted training must still be deleted, and whether that is
/// possible. One without an attempt in its status has no folder of its own. Throws ApiError,
/// TransportError.
void observe_purge(const GanTraining& training, const Checked& checked, Client& client,
                   Situation& situation);

/// Returns, for people, which Job may still delete the run folder since it is that of an older
/// training of this name; empty if there is none. Throws ApiError, TransportError.
std::string older_purge(const Plan& plan, Client& client);

/// Creates the Job that deletes the run folder, unless it exists. If the server rejects it, records
/// an event and returns false.
bool start_purge(const GanTraining& training, const Plan& plan, const Cluster& cluster);

/// Puts the Job that is held back into the queue of the training, which Kueue allows until then.
/// Throws ApiError, TransportError.
void queue_purge(const Plan& plan, Client& client);

}  // namespace ganscale::controller::gan_training
