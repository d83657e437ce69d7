#pragma once

#include <string>

#include "gan_training/spec/gan_training.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "object/time.h"

namespace ganscale::controller::gan_training {

/// Type of the condition that reports failed reconciles; present after the first failure.
inline constexpr const char* kReconciled = "Reconciled";

/// Stores a status and returns the updated training. Throws ApiError, with code 409 if our copy of
/// the training is stale.
Json store_status(const GanTraining& training, const Json& status, Client& client);

/// Adds or removes our finalizer. Throws as store_status does, but not for a training that is gone.
void set_finalizer(const GanTraining& training, bool wanted, Client& client);

/// Why a reconcile failed.
struct Failure {
  std::string reason;  ///< one word
  std::string message;
};

/// Returns the status with Reconciled=False. Keeps the first message for the same reason and
/// generation, since each change of the status triggers another reconcile.
Json with_failure(const GanTraining& training, const Failure& failure, Time now);
/// Returns the status with Reconciled=True if it was False; otherwise unchanged.
Json with_success(const GanTraining& training, Time now);

/// Stores a failure in the status and records the event ReconcileFailed, once. If that fails too,
/// it is logged, and the next reconcile tries again.
void report_failure(const GanTraining& training, const Failure& failure, Time now, Client& client,
                    EventRecorder& events);
/// Stores a success in the status if the last reconcile failed.
void report_success(const GanTraining& training, Time now, Client& client);

}  // namespace ganscale::controller::gan_training
