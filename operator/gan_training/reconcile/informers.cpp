#include "gan_training/reconcile/informers.h"

#include "gan_training/decide/observe.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/plan/plan.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

/// Returns the training whose label an object bears.
std::optional<Key> training_of(const Json& object) {
  const Json labels = object["metadata"].value("labels", Json::object());
  const std::string name = labels.value(kTrainingLabel, "");
  if (name.empty()) return std::nullopt;
  return Key{key_of(object).name_space, name};
}

}  // namespace

Informers::Informers(const MakeTransport& connect, const Client::Hooks& hooks,
                     const std::function<void(const Key&)>& enqueue) {
  const auto owned = [&](const Resource& resource, std::function<Json(Json)> keep) {
    return std::make_unique<Informer>(connect(), hooks,
                                      Informer::Settings{.resource = resource,
                                                         .selector = kTrainingLabel,
                                                         .keep = std::move(keep),
                                                         .index = training_of},
                                      [enqueue](const Json& object) {
                                        if (const auto it = training_of(object)) enqueue(*it);
                                      });
  };
  trainings =
      std::make_unique<Informer>(connect(), hooks, Informer::Settings{.resource = kTrainings},
                                 [enqueue](const Json& object) { enqueue(key_of(object)); });
  jobs = owned(kMpiJobs, {});
  pods = owned(resource::kPods, essential_pod);
  config_maps = owned(resource::kConfigMaps, {});
  policies = owned(resource::kNetworkPolicies, {});
  budgets = owned(resource::kBudgets, {});
}

std::vector<Informer*> Informers::all() const {
  return {trainings.get(),   jobs.get(),     pods.get(),
          config_maps.get(), policies.get(), budgets.get()};
}

}  // namespace ganscale::controller::gan_training
