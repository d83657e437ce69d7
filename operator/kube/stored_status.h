#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kube/client.h"
#include "kube/event_recorder.h"
#include "object/json.h"
#include "object/stored_object.h"
#include "object/time.h"

namespace ganscale::controller {

/// Type of the condition that reports failed reconciles; present after the first failure.
inline constexpr const char* kReconciled = "Reconciled";
/// The reason of condition and event if our account lacks rights in the namespace.
inline constexpr const char* kAccessDenied = "AccessDenied";
/// The reason of the condition if an object of another owner has a name that is needed.
inline constexpr const char* kNameTaken = "NameTaken";

/// Stores a status and returns the updated object. Throws ApiError, with code 409 if our copy of it
/// is stale.
Json store_status(const StoredObject& object, const Json& status, Client& client);

/// Throws ApiError with code 409 unless the server still has this version of the object. To be
/// called before anything is deleted: what was decided by a stale copy may be wrong by now.
void require_current(const StoredObject& object, Client& client);

/// Whether a failure's reason is that the server refuses what was made of a spec, by the code 400,
/// 413 or 422; it will refuse the same again.
bool is_refusal(const std::string& reason);

/// Why a reconcile failed.
struct Failure {
  std::string reason;  ///< one word
  std::string message;
};

/// Returns the status with Reconciled=False. Keeps the first message for the same reason and
/// generation, since each change of the status triggers another reconcile; but a name that is taken
/// is the one that is taken now.
Json with_failure(const StoredObject& object, const Failure& failure, Time now);
/// Returns the status with Reconciled=True if it was False; otherwise unchanged.
Json with_success(const StoredObject& object, Time now);

/// Stores a failure in the status and records the event ReconcileFailed or AccessDenied, once. If
/// that fails too, it is logged, and the next reconcile tries again.
void report_failure(const StoredObject& object, const Failure& failure, Time now, Client& client,
                    EventRecorder& events);
/// Stores a success in the status if the last reconcile failed.
void report_success(const StoredObject& object, Time now, Client& client);

/// Runs the reconcile of an object and stores in its condition Reconciled whether it failed.
/// Conflicts and an unreachable server are thrown on unstored. Objects that the server rejects as
/// invalid are only stored: retrying would not help, so it returns kResync. A name that is taken is
/// only stored, too, and tried again after kLookAgain. Throws what the reconcile throws otherwise.
std::chrono::seconds reconcile_and_report(const StoredObject& object,
                                          const std::function<std::chrono::seconds()>& reconcile,
                                          Time now, Client& client, EventRecorder& events);

}  // namespace ganscale::controller
