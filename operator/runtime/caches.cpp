#include "runtime/caches.h"

#include <algorithm>

#include "decide/observe.h"
#include "desired/plan.h"

namespace ganscale::controller {

Caches::Caches(const MakeTransport& make_transport, const Client::Hooks& hooks,
               const std::function<void(const Key&)>& on_change) {
  const auto concerned = [on_change](const Json& object) {
    const Json labels = object["metadata"].value("labels", Json::object());
    const std::string name = labels.value(kTrainingLabel, "");
    if (!name.empty()) on_change({key_of(object).name_space, name});
  };
  const auto owned = [&](const Resource& resource, std::function<Json(Json)> keep) {
    return std::make_unique<Informer>(
        make_transport(), hooks,
        Informer::Settings{
            .resource = resource, .selector = kTrainingLabel, .keep = std::move(keep)},
        concerned);
  };
  trainings = std::make_unique<Informer>(
      make_transport(), hooks, Informer::Settings{.resource = resource::kTrainings},
      [on_change](const Json& object) { on_change(key_of(object)); });
  jobs = owned(resource::kMpiJobs, {});
  pods = owned(resource::kPods, essential_pod);
  config_maps = owned(resource::kConfigMaps, {});
  policies = owned(resource::kNetworkPolicies, {});
  budgets = owned(resource::kBudgets, {});
}

std::vector<Informer*> Caches::all() const {
  return {trainings.get(),   jobs.get(),     pods.get(),
          config_maps.get(), policies.get(), budgets.get()};
}

void Caches::start() {
  for (Informer* informer : all()) informer->start();
}

bool Caches::synced() const {
  return std::ranges::all_of(all(), [](const Informer* informer) { return informer->synced(); });
}

}  // namespace ganscale::controller
