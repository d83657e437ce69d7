#include "runtime/reconciler.h"

#include <openssl/hmac.h>

#include <algorithm>

#include "base/error.h"
#include "decide/plan_changes.h"
#include "desired/config_map.h"
#include "desired/mpi_job.h"
#include "desired/network_policy.h"

namespace ganscale::controller {
namespace {

constexpr std::chrono::seconds kLookAgain{600};
constexpr std::chrono::seconds kLookSoon{1};

bool owned_by(const Json& object, const std::string& uid) {
  for (const Json& owner : object["metadata"].value("ownerReferences", Json::array())) {
    if (owner.value("uid", "") == uid) return true;
  }
  return false;
}

/// Whether a pod of an earlier attempt may still write: it has not ended, and its time is not over.
bool still_there(const Json& pod, Time now) {
  const std::string phase = pod.value(Json::json_pointer("/status/phase"), "");
  if (phase == "Succeeded" || phase == "Failed") return false;
  const auto deadline = parse_time(pod["metadata"].value("deletionTimestamp", ""));
  return !deadline || now <= *deadline;
}

Json without_tolerations(Json job) {
  for (const char* role : {"Launcher", "Worker"}) {
    job["spec"]["mpiReplicaSpecs"][role]["template"]["spec"].erase("tolerations");
  }
  return job;
}

/// What to say of a run folder that could not be deleted.
std::string folder_stays(const Plan& plan, const std::string& why) {
  return "the run folder stays: " + run_folder(plan) + " on the claim " +
         plan.spec.storage.claim_name + ": " + why;
}

bool contains(const std::vector<Step>& steps, Step step) {
  return std::ranges::find(steps, step) != steps.end();
}

}  // namespace

/// All that one reconcile sees.
struct Reconciler::Look {
  Checked checked;
  Situation situation;
};

/// An object of a training as it is to be, and our copy of what is there.
struct Reconciler::Child {
  const Resource* resource;
  Json want;
  Informer::Object have;
};

std::optional<std::chrono::seconds> Reconciler::reconcile(const Key& key) {
  const auto object = parts_.caches.trainings->find(key);
  if (!object) {
    parts_.probe.forget(key);
    return std::nullopt;
  }
  const GanTraining training = parse_training(*object);
  if (!training.deleted && !training.has_finalizer()) {
    set_finalizer(training, true);  // its update brings us back here
    return std::nullopt;
  }
  const Look seen = look(training);
  const Decision decision = decide(seen.situation);
  // What an attempt stands on is there before it: the next look, which its coming brings about,
  // finds it. So a look makes few requests, and others need not wait long for their turn.
  if (contains(decision.steps, Step::kStartAttempt) &&
      keep_children(training, seen, decision.record)) {
    return kLookSoon;
  }
  act(training, seen, decision);
  return std::min(decision.again_in.value_or(kLookAgain), kLookAgain);
}

void Reconciler::act(const GanTraining& training, const Look& seen, const Decision& decision) {
  const Json status = status_of(training, seen, decision.record);
  // What was decided is stored before it is done: whoever comes next goes on from there. A copy
  // that is behind the server is refused here, before it can do harm.
  const Json stored = status != training.status ? store(training, status) : Json();
  for (const Note& note : decision.notes) parts_.events.record(training, note);
  follow_worker(seen, decision);
  if (contains(decision.steps, Step::kStartAttempt)) {
    if (still_stands(training, decision.record, stored))
      start_attempt(training, seen, decision.record);
  } else if (!training.deleted && seen.checked.problem.empty()) {
    keep_children(training, seen, decision.record);
  }
  take_steps(training, seen, decision);
}

Reconciler::Look Reconciler::look(const GanTraining& training) {
  Look look;
  Situation& s = look.situation;
  s.record = read_record(training.status);
  s.deleted = training.deleted;
  s.has_finalizer = training.has_finalizer();
  s.now = parts_.now();
  try {
    look.checked = check_training(training, parts_.profiles, parts_.schema, config_from(training));
  } catch (const ConfigError& error) {
    look.checked.reason = "MissingConfigMap";
    look.checked.problem = error.what();
    look.checked.plan.key = training.key;
  }
  look_at_attempts(training, look);
  if (look.checked.problem.empty()) {
    if (!s.attempt && !training.deleted) check_claims(look);
    const Plan& plan = look.checked.plan;
    s.suspend = plan.spec.suspend;
    s.restart = plan.spec.restart;
    s.checkpoint_deadline = std::chrono::seconds(plan.spec.checkpoint_deadline_seconds);
    s.hash = plan_hash(plan);
    s.config_hash = config_hash(plan);
    s.nodes = plan.spec.nodes;
    if (training.deleted && plan.spec.purge) look_at_purge(look);
  }
  s.problem_reason = look.checked.reason;
  s.problem = look.checked.problem;
  return look;
}

void Reconciler::look_at_attempts(const GanTraining& training, Look& look) {
  Situation& s = look.situation;
  std::vector<Json> pods;
  for (const auto& pod : parts_.caches.pods->of_training(training.key)) {
    if (attempt_number(*pod) == s.record.attempt) {
      pods.push_back(*pod);
    } else if (still_there(*pod, s.now)) {
      s.others = true;
    }
  }
  for (const auto& job : parts_.caches.jobs->of_training(training.key)) {
    if (!owned_by(*job, training.uid)) continue;
    if (attempt_number(*job) == s.record.attempt) {
      s.attempt = observe_attempt(*job, pods);
    } else {
      s.others = true;
    }
  }
  // The MPIJob of an ended attempt is gone, but its pods may be writing their last checkpoint.
  if (!s.attempt && s.record.state != AttemptState::kWanted) {
    s.others = s.others ||
               std::ranges::any_of(pods, [&](const Json& pod) { return still_there(pod, s.now); });
  }
}

std::string Reconciler::config_from(const GanTraining& training) {
  Fields spec(training.spec, "spec");
  Fields from = spec.object("configFrom");
  const std::string name = from.text("name");
  if (name.empty()) return "";
  const std::string key = from.text("key", "config.yaml");
  const auto object = parts_.client.get(resource::kConfigMaps, {training.key.name_space, name});
  if (!object) throw ConfigError("spec.configFrom.name: there is no ConfigMap: " + name);
  const Json data = object->value("data", Json::object());
  if (!data.contains(key)) {
    throw ConfigError("spec.configFrom.key: the ConfigMap " + name + " has no key: " + key);
  }
  return data[key];
}

void Reconciler::check_claims(Look& look) {
  const TrainingSpec& spec = look.checked.plan.spec;
  const auto check_claim = [&](const char* field, const Volume& volume) {
    if (volume.claim_name.empty() || !look.checked.problem.empty()) return;
    const Key key{look.checked.plan.key.name_space, volume.claim_name};
    if (parts_.client.get(resource::kClaims, key)) return;
    look.checked.reason = "MissingClaim";
    look.checked.problem = std::string("spec.") + field +
                           ".claimName: there is no PersistentVolumeClaim: " + volume.claim_name;
  };
  check_claim("data", spec.data);
  check_claim("storage", spec.storage);
}

/// Sees whether the run folder is still to be deleted: the Job that does it is not done, and there
/// is a claim that holds the folder.
void Reconciler::look_at_purge(Look& look) {
  const Plan& plan = look.checked.plan;
  Situation& s = look.situation;
  if (plan.spec.storage.claim_name.empty()) return;
  const std::string& name_space = plan.key.name_space;
  const auto job = parts_.client.get(resource::kJobs, {name_space, purge_job_name(plan.key)});
  if (!job || !owned_by(*job, plan.uid)) {
    s.purge = parts_.client.get(resource::kClaims, {name_space, plan.spec.storage.claim_name})
                  .has_value();
    return;
  }
  s.purge = true;
  for (const Json& condition :
       job->value(Json::json_pointer("/status/conditions"), Json::array())) {
    if (condition.value("status", "") != "True") continue;
    const std::string type = condition.value("type", "");
    if (type == "Complete") s.purge = false;
    if (type == "Failed") s.purge_failure = folder_stays(plan, condition.value("message", ""));
  }
}

Json Reconciler::status_of(const GanTraining& training, const Look& look, const Record& record) {
  const Plan& plan = look.checked.plan;
  Facts facts;
  facts.generation = training.generation;
  facts.model = plan.config.value(Json::json_pointer("/model/name"), "dcgan");
  facts.nodes = plan.spec.nodes;
  facts.gpus = plan.gpus();
  facts.ranks = plan.ranks();
  facts.selector =
      std::string(kTrainingLabel) + "=" + training.key.name + "," + kRoleLabel + "=worker";
  facts.problem_reason = look.checked.reason;
  facts.problem = look.checked.problem;
  const auto& attempt = look.situation.attempt;
  if (record.state == AttemptState::kLive) {
    facts.attempt = attempt;
    facts.worker = parts_.probe.latest(training.key, record.attempt);
  }
  if (attempt && attempt->last_status) facts.worker = attempt->last_status;
  facts.now = look.situation.now;
  return next_status(training.status, record, facts);
}

/// Stores the status. Returns the training as the server has it then.
Json Reconciler::store(const GanTraining& training, const Json& status) {
  const Json object = {{"apiVersion", kApiVersion},
                       {"kind", kKind},
                       {"metadata",
                        {{"name", training.key.name},
                         {"namespace", training.key.name_space},
                         {"uid", training.uid},
                         {"resourceVersion", training.resource_version}}},
                       {"spec", training.spec},
                       {"status", status}};
  return parts_.client.update(resource::kTrainings, object, /*status=*/true);
}

/// All objects that the training should have now.
std::vector<Reconciler::Child> Reconciler::children(const Look& look, const Record& record) {
  const Plan& plan = look.checked.plan;
  const Caches& caches = parts_.caches;
  std::vector<Child> list;
  const auto add = [&](const Resource& resource, const Informer& informer, Json want) {
    const Key key = key_of(want);
    list.push_back({&resource, std::move(want), informer.find(key)});
  };
  add(resource::kConfigMaps, *caches.config_maps, config_map(plan));
  add(resource::kNetworkPolicies, *caches.policies,
      network_policy(plan, parts_.operator_namespace));
  if (record.phase == phase::kRunning) {
    add(resource::kBudgets, *caches.budgets, disruption_budget(plan));
  }
  const auto& attempt = look.situation.attempt;
  const bool is_current = attempt && attempt->hash == look.situation.hash && !attempt->deleted;
  if (is_current && record.state == AttemptState::kLive && !attempt->finished()) {
    add(resource::kMpiJobs, *caches.jobs, mpi_job(plan, record.attempt, record.restarts));
  }
  return list;
}

/// Applies what is not as it should be. Returns whether something was missing altogether.
bool Reconciler::keep_children(const GanTraining& training, const Look& look,
                               const Record& record) {
  if (record.phase != phase::kRunning) drop_budget(training);
  const bool queued = !look.checked.plan.spec.queue_name.empty();
  bool missing = false;
  for (const Child& child : children(look, record)) {
    // A queue gives the pods the tolerations of the nodes that it found for them.
    const bool of_queue = queued && child.resource == &resource::kMpiJobs;
    const bool agrees =
        child.have && has_all(*child.have, of_queue ? without_tolerations(child.want) : child.want);
    if (agrees) continue;
    keep(training, child);
    missing = missing || !child.have;
  }
  return missing;
}

void Reconciler::keep(const GanTraining& training, const Child& child) {
  parts_.client.apply(*child.resource, child.want);
  if (child.have && owned_by(*child.have, training.uid)) {
    parts_.events.record(training, {false, "PutBack",
                                    child.resource->plural + " " + key_of(child.want).name +
                                        " is as the operator wants it again"});
  }
}

/// Lets the nodes be drained again.
void Reconciler::drop_budget(const GanTraining& training) {
  const auto have = parts_.caches.budgets->find(training.key);
  if (!have || !owned_by(*have, training.uid)) return;
  parts_.client.remove(resource::kBudgets, training.key, (*have)["metadata"].value("uid", ""));
}

void Reconciler::take_steps(const GanTraining& training, const Look& look,
                            const Decision& decision) {
  for (const Step step : decision.steps) {
    switch (step) {
      case Step::kStartAttempt: break;  // start_attempt did, if it still stands
      case Step::kAskStop: break;       // the probe does it: see follow_worker
      case Step::kDeleteAttempts: delete_attempts(training, decision.record); break;
      case Step::kPurge: purge(training, look.checked.plan); break;
      case Step::kRemoveFinalizer: set_finalizer(training, false); break;
    }
  }
}

void Reconciler::start_attempt(const GanTraining& training, const Look& look,
                               const Record& record) {
  const Plan& plan = look.checked.plan;
  // Secrets are not ours to read: the token is written with each attempt.
  try {
    parts_.client.apply(resource::kSecrets, control_secret(plan, token(plan.uid)));
  } catch (const ApiError& error) {
    if (error.code() == 403) {
      parts_.events.record(
          training, {true, "AccessDenied",
                     "the operator may not write Secrets in the namespace " + plan.key.name_space +
                         "; apply rbac/training-namespace.yaml there"});
    }
    throw;
  }
  parts_.client.apply(resource::kMpiJobs, mpi_job(plan, record.attempt, record.restarts));
}

/// Whether the number of the attempt that is to be made is still the one that is stored. Our copy
/// may be behind: only what the server itself says now counts for a new MPIJob.
///
/// stored: the training as the server has it since this reconcile stored its status; null if there
/// was nothing to store.
bool Reconciler::still_stands(const GanTraining& training, const Record& record,
                              const Json& stored) {
  const auto object = stored.is_null() ? parts_.client.get(resource::kTrainings, training.key)
                                       : std::optional(stored);
  if (!object) return false;
  const GanTraining present = parse_training(*object);
  const Record confirmed = read_record(present.status);
  return present.uid == training.uid && !present.deleted && confirmed.attempt == record.attempt &&
         confirmed.state == AttemptState::kWanted;
}

/// Makes the Job that deletes the run folder, unless it is there. Where it may not be made, the
/// folder stays and the training goes.
void Reconciler::purge(const GanTraining& training, const Plan& plan) {
  try {
    parts_.client.create(resource::kJobs, purge_job(plan));
  } catch (const ApiError& error) {
    if (error.code() == 409) return;
    if (error.code() != 403) throw;
    parts_.events.record(training, {true, "PurgeFailed", folder_stays(plan, error.what())});
    set_finalizer(training, false);
  }
}

void Reconciler::delete_attempts(const GanTraining& training, const Record& record) {
  for (const auto& job : parts_.caches.jobs->of_training(training.key)) {
    const bool is_live =
        attempt_number(*job) == record.attempt && record.state != AttemptState::kEnded;
    const bool is_going = (*job)["metadata"].contains("deletionTimestamp");
    if (is_live || is_going || !owned_by(*job, training.uid)) continue;
    parts_.client.remove(resource::kMpiJobs, key_of(*job), (*job)["metadata"].value("uid", ""));
  }
}

/// Refused with 409 if our copy is behind. A training that is gone has none.
void Reconciler::set_finalizer(const GanTraining& training, bool wanted) {
  std::vector<std::string> finalizers = training.finalizers;
  std::erase(finalizers, kFinalizer);
  if (wanted) finalizers.emplace_back(kFinalizer);
  try {
    parts_.client.patch(
        resource::kTrainings, training.key,
        {{"metadata",
          {{"finalizers", finalizers}, {"resourceVersion", training.resource_version}}}});
  } catch (const ApiError& error) {
    if (error.code() != 404) throw;
  }
}

void Reconciler::follow_worker(const Look& look, const Decision& decision) {
  const Key& key = look.checked.plan.key;
  const auto& attempt = look.situation.attempt;
  const int port = control_port(look.checked.plan.config);
  const bool answers = attempt && attempt->phase == JobPhase::kRunning &&
                       decision.record.state == AttemptState::kLive &&
                       !attempt->rank0_address.empty() && port > 0;
  if (!answers) {
    parts_.probe.forget(key);
    return;
  }
  parts_.probe.watch(key, {.url = "http://" + attempt->rank0_address + ":" + std::to_string(port),
                           .token = token(look.checked.plan.uid),
                           .attempt = decision.record.attempt,
                           .stop = contains(decision.steps, Step::kAskStop)});
}

std::string Reconciler::token(const std::string& uid) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length_bytes = 0;
  HMAC(EVP_sha256(), parts_.token_key.data(), static_cast<int>(parts_.token_key.size()),
       reinterpret_cast<const unsigned char*>(uid.data()), uid.size(), digest.data(),
       &length_bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < length_bytes; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace ganscale::controller
