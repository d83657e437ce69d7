#pragma once

#include <optional>
#include <string>

#include "gan_training/decide/observe.h"
#include "gan_training/decide/record.h"
#include "gan_training/plan/plan.h"
#include "gan_training/reconcile/informers.h"

namespace ganscale::controller::gan_training {

/// Returns whether the attempt to be started is still the stored one and its training has not been
/// deleted. Since our copy may be stale, the server is asked before a new MPIJob is made.
///
/// stored: the training as returned when this reconcile stored its status; null if it did not.
bool attempt_is_current(const GanTraining& training, const Record& record, const Json& stored,
                        Client& client);

/// Returns the MPIJob of the record's attempt.
Json recorded_job(const Plan& plan, const Record& record);

/// Applies the Secret with the control token, then the MPIJob of the record's attempt. The operator
/// may not read Secrets, so it writes the token for each attempt. Throws NameTaken; ApiError, with
/// code 409 if the attempt has an MPIJob of another plan already; TransportError.
void start_attempt(const Plan& plan, const Record& record, const std::string& token,
                   Client& client);

/// Deletes all MPIJobs of the training except the live attempt's. seen: the record's attempt, if it
/// was observed, though the cache may lack its MPIJob.
void delete_attempts(const GanTraining& training, const Record& record,
                     const std::optional<Attempt>& seen, const Cluster& cluster);

}  // namespace ganscale::controller::gan_training
