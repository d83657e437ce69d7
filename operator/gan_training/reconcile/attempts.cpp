#include "gan_training/reconcile/attempts.h"

#include "gan_training/desired/control_secret.h"
#include "gan_training/desired/mpi_job.h"
#include "kube/owned.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

/// Throws if an MPIJob was made of another plan. Our copy lacked it, or its attempt would end: its
/// pods don't change with it, and so it would seem to be what it is not.
void require_same_plan(const Json& have, const Json& want) {
  if (annotation_of(have, kHashAnnotation) == annotation_of(want, kHashAnnotation)) return;
  throw ApiError(409, "Conflict", "our copy is behind the server: " + key_of(want).text());
}

}  // namespace

bool attempt_is_current(const GanTraining& training, const Record& record, const Json& stored,
                        Client& client) {
  const auto object =
      stored.is_null() ? client.get(kTrainings, training.key) : std::optional(stored);
  if (!object) return false;
  const GanTraining latest = parse_training(*object);
  const Record confirmed = read_record(latest.status);
  return latest.uid == training.uid && !latest.deleted && confirmed.attempt == record.attempt &&
         confirmed.state == AttemptState::kWanted;
}

Json recorded_job(const Plan& plan, const Record& record) {
  return mpi_job(plan,
                 {.attempt = record.attempt,
                  .restarts = record.restarts,
                  .accepts_fabric = record.fabric_accepted},
                 {.always = avoided_names(record),
                  .if_possible = avoided_names(record, /*last_resort=*/true)});
}

void start_attempt(const Plan& plan, const Record& record, const std::string& token,
                   Client& client) {
  put_owned(client, resource::kSecrets, control_secret(plan, token));
  const Json job = recorded_job(plan, record);
  put_owned(client, kMpiJobs, job, [&](const Json& have) { require_same_plan(have, job); });
}

void delete_attempts(const GanTraining& training, const Record& record,
                     const std::optional<Attempt>& seen, const Cluster& cluster) {
  for (const auto& job : cluster.informers.jobs->by_index(training.key)) {
    const bool is_live =
        attempt_number(*job) == record.attempt && record.state != AttemptState::kEnded;
    const bool is_going = (*job)["metadata"].contains("deletionTimestamp");
    if (is_live || is_going || !is_owned_by(*job, training.uid)) continue;
    cluster.client.remove(kMpiJobs, key_of(*job), (*job)["metadata"].value("uid", ""));
  }
  if (!seen || seen->deleted || record.state != AttemptState::kEnded) return;
  const Key key{training.key.name_space, seen->name};
  if (!cluster.informers.jobs->find(key)) cluster.client.remove(kMpiJobs, key, seen->uid);
}

}  // namespace ganscale::controller::gan_training
