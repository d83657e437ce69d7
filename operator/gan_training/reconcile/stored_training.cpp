#include "gan_training/reconcile/stored_training.h"

#include "base/log.h"
#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

Json status_of(const GanTraining& training) {
  return training.status.is_object() ? training.status : Json::object();
}

}  // namespace

Json store_status(const GanTraining& training, const Json& status, Client& client) {
  const Json object = {{"apiVersion", kApiVersion},
                       {"kind", kKind},
                       {"metadata",
                        {{"name", training.key.name},
                         {"namespace", training.key.name_space},
                         {"uid", training.uid},
                         {"resourceVersion", training.resource_version}}},
                       {"spec", training.spec},
                       {"status", status}};
  return client.update(kTrainings, object, /*status=*/true);
}

void set_finalizer(const GanTraining& training, bool wanted, Client& client) {
  std::vector<std::string> finalizers = training.finalizers;
  std::erase(finalizers, kFinalizer);
  if (wanted) finalizers.emplace_back(kFinalizer);
  try {
    client.patch(kTrainings, training.key,
                 {{"metadata",
                   {{"finalizers", finalizers}, {"resourceVersion", training.resource_version}}}});
  } catch (const ApiError& error) {
    if (error.code() != 404) throw;
  }
}

Json with_failure(const GanTraining& training, const Failure& failure, Time now) {
  Json status = status_of(training);
  const Json known = find_condition(status, kReconciled);
  const bool is_told = text_at(known, "/status") == "False" &&
                       text_at(known, "/reason") == failure.reason &&
                       known.value("observedGeneration", Json()) == training.generation;
  if (!is_told) {
    const Condition condition{kReconciled, false, failure.reason, failure.message};
    set_condition(status, condition, training.generation, now);
  }
  return status;
}

Json with_success(const GanTraining& training, Time now) {
  Json status = status_of(training);
  if (text_at(find_condition(status, kReconciled), "/status", "True") == "True") return status;
  set_condition(status, {kReconciled, true, "Succeeded", ""}, training.generation, now);
  return status;
}

void report_failure(const GanTraining& training, const Failure& failure, Time now, Client& client,
                    EventRecorder& events) {
  const Json status = with_failure(training, failure, now);
  if (status == status_of(training)) return;
  try {
    store_status(training, status, client);
    events.record(training.reference(), {true, "ReconcileFailed", failure.message});
  } catch (const std::exception& error) {
    log::warning("Can't store why a reconcile failed",
                 {{"object", training.key.text()}, {"what", error.what()}});
  }
}

void report_success(const GanTraining& training, Time now, Client& client) {
  const Json status = with_success(training, now);
  if (status == status_of(training)) return;
  try {
    store_status(training, status, client);
  } catch (const ApiError& error) {
    if (error.code() != 409 && error.code() != 404) throw;  // its change brings us back here
  }
}

}  // namespace ganscale::controller::gan_training
