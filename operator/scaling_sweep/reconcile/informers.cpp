#include "scaling_sweep/reconcile/informers.h"

#include "scaling_sweep/plan/plan.h"
#include "scaling_sweep/spec/scaling_sweep.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// Returns the sweep whose label an object bears.
std::optional<Key> sweep_of(const Json& object) {
  const Json labels = object["metadata"].value("labels", Json::object());
  const std::string name = labels.value(kSweepLabel, "");
  if (name.empty()) return std::nullopt;
  return Key{key_of(object).name_space, name};
}

}  // namespace

Informers::Informers(const MakeTransport& connect, const Client::Hooks& hooks,
                     const std::function<void(const Key&)>& enqueue) {
  const auto owned = [&](const Resource& resource) {
    return std::make_unique<Informer>(
        connect(), hooks,
        Informer::Settings{.resource = resource, .selector = kSweepLabel, .index = sweep_of},
        [enqueue](const Json& object) {
          if (const auto it = sweep_of(object)) enqueue(*it);
        });
  };
  sweeps = std::make_unique<Informer>(connect(), hooks, Informer::Settings{.resource = kSweeps},
                                      [enqueue](const Json& object) { enqueue(key_of(object)); });
  trainings = owned(gan_training::kTrainings);
  reports = owned(resource::kConfigMaps);
}

std::vector<Informer*> Informers::all() const {
  return {sweeps.get(), trainings.get(), reports.get()};
}

}  // namespace ganscale::controller::scaling_sweep
