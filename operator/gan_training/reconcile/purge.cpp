#include "gan_training/reconcile/purge.h"

#include "gan_training/desired/purge_job.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

/// What to say of a run folder that could not be deleted.
std::string folder_stays(const Plan& plan, const std::string& why) {
  return "the run folder was not deleted: " + run_folder(plan) + " on the claim " +
         plan.spec.storage.claim_name + ": " + why;
}

/// Whether the training wants its run folder deleted with it, and has one.
bool wants_purge(const Plan& plan) {
  return plan.spec.purge && !plan.spec.storage.claim_name.empty();
}

bool is_suspended(const Json& job) {
  return job.value(Json::json_pointer("/spec/suspend"), Json()) == true;
}

/// What to say of a Job whose time is over: since its start, or since it was made if it is held
/// back, which its own deadline does not count. Empty before that.
std::string why_late(const Json& job, Time now) {
  const std::string created = text_at(job, "/metadata/creationTimestamp");
  const auto since =
      parse_time(is_suspended(job) ? created : text_at(job, "/status/startTime", created));
  if (!since || now < *since + kPurgeDeadline) return "";
  return "the Job did not end within " + std::to_string(kPurgeDeadline.count()) +
         " s: " + key_of(job).name +
         (is_suspended(job) ? "; it is suspended: its queue did not admit it" : "");
}

/// Returns why no new pod can have the claim with the run folder; empty if one can.
std::string why_no_claim(const Plan& plan, Client& client) {
  const auto claim =
      client.get(resource::kClaims, {plan.key.name_space, plan.spec.storage.claim_name});
  if (!claim) return "the claim is gone";
  const bool is_going = claim->at("metadata").contains("deletionTimestamp");
  return is_going ? "the claim is being deleted" : "";
}

/// Returns why a Job that has not ended will not delete the folder; empty if it may. A pod that
/// runs keeps the claim, even one that is being deleted.
std::string why_hopeless(const Json& job, const Plan& plan, Client& client, Time now) {
  const std::string late = why_late(job, now);
  if (!late.empty() || whole_at(job, "/status/ready") > 0) return late;
  return why_no_claim(plan, client);
}

void observe_purge_job(const Json& job, const Plan& plan, Client& client, Situation& s) {
  s.purge = true;
  s.purge_started = true;
  // Kueue can be told to hold back every Job that is in no queue.
  s.purge_needs_queue = is_suspended(job) && !is_queued(job) && !plan.spec.queue_name.empty();
  for (const Json& condition : list_at(job, "/status/conditions")) {
    if (text_at(condition, "/status") != "True") continue;
    const std::string type = text_at(condition, "/type");
    if (type == "Complete") s.purge = false;
    if (type == "Failed") s.purge_failure = folder_stays(plan, text_at(condition, "/message"));
  }
  if (!s.purge || !s.purge_failure.empty()) return;  // it has ended
  const std::string why = why_hopeless(job, plan, client, s.now);
  if (!why.empty()) s.purge_failure = folder_stays(plan, why);
}

/// Returns the Job that has the name of the purge.
std::optional<Json> read_job(const Plan& plan, Client& client) {
  return client.get(resource::kJobs, {plan.key.name_space, purge_job_name(plan.key)});
}

void skip_purge(const Plan& plan, const std::string& why, Situation& s) {
  if (!wants_purge(plan)) return;
  s.purge_skipped = why + ": " + run_folder(plan) + " on the claim " +
                    plan.spec.storage.claim_name + " was left as it was, if it is there";
}

void observe_job(const Plan& plan, Client& client, Situation& s) {
  if (!wants_purge(plan)) return;
  const auto job = read_job(plan, client);
  if (job && is_owned_by(*job, plan.uid)) return observe_purge_job(*job, plan, client, s);
  const std::string why = why_no_claim(plan, client);
  s.purge = why.empty();
  if (!s.purge) skip_purge(plan, why, s);
}

/// Returns why a folder of the training's name may be an older training's; empty if it is its own.
/// Without an attempt the status may also be lost, as after a restored backup.
std::string why_not_own(const GanTraining& training, const Plan& plan) {
  if (whole_at(training.status, "/attempt/number") == 0) return "no attempt is recorded";
  const std::string wanted = storage_of(plan);
  // Older versions did not record it.
  const std::string used = text_at(training.status, "/attempt/storage", wanted);
  if (used == wanted) return "";
  return used.empty() ? "the last attempt had no storage"
                      : "the folder of the last attempt remains on other storage, " + used;
}

/// Whether the Job that has the name of the purge is ours, or of an older training of this name,
/// with which Kubernetes deletes it. Any other stays, and does not delay the training.
bool is_ours_or_goes(const Plan& plan, Client& client) {
  const auto job = read_job(plan, client);
  return !job || is_owned_by(*job, plan.uid) || has_owner_named(*job, kKind, plan.key.name);
}

}  // namespace

void observe_purge(const GanTraining& training, const Checked& checked, Client& client,
                   Situation& s) {
  if (s.orphaned) return skip_purge(checked.plan, "what the training owned was orphaned", s);
  const std::string why = why_not_own(training, checked.plan);
  if (s.record.attempt == 0 || (checked.has_pods && !why.empty())) {
    skip_purge(checked.plan, why, s);
  } else if (checked.has_pods) {
    observe_job(checked.plan, client, s);
  } else if (text_at(training.spec, "/deletePolicy") == "Purge") {
    // Without a readable spec the folder is unknown.
    s.purge = true;
    s.purge_failure = "the run folder was not deleted: " + checked.problem;
  }
}

std::string older_purge(const Plan& plan, Client& client) {
  if (plan.spec.storage.claim_name.empty()) return "";
  const auto job = read_job(plan, client);
  if (!job || is_owned_by(*job, plan.uid) || !has_owner_named(*job, kKind, plan.key.name)) {
    return "";
  }
  return "waiting until the Job " + key_of(*job).name +
         " and its pods are gone: it deletes the run folder of an older GanTraining of this "
         "name, " +
         run_folder(plan);
}

void queue_purge(const Plan& plan, Client& client) {
  client.patch(resource::kJobs, {plan.key.name_space, purge_job_name(plan.key)},
               {{"metadata", {{"labels", {{kQueueLabel, plan.spec.queue_name}}}}}});
}

bool start_purge(const GanTraining& training, const Plan& plan, const Cluster& cluster) {
  try {
    cluster.client.create(resource::kJobs, purge_job(plan));
  } catch (const ApiError& error) {
    const bool is_refused = error.code() == 403 || error.code() == 422 || error.code() == 400;
    if (error.code() == 409) {
      if (is_ours_or_goes(plan, cluster.client)) return true;
    } else if (!is_refused) {
      throw;
    }
    cluster.events.record(training.reference(),
                          {true, "PurgeFailed", folder_stays(plan, error.what())});
    return false;
  }
  return true;
}

}  // namespace ganscale::controller::gan_training
