#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kube/informer.h"

namespace ganscale::controller::scaling_sweep {

/// The informers of all objects that a reconcile reads.
struct Informers {
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// enqueue: called with the key of the sweep that a changed object belongs to.
  Informers(const MakeTransport& connect, const Client::Hooks& hooks,
            const std::function<void(const Key&)>& enqueue);

  std::vector<Informer*> all() const;

  std::unique_ptr<Informer> sweeps;
  std::unique_ptr<Informer> trainings;  ///< of sweeps, indexed by sweep
  std::unique_ptr<Informer> reports;    ///< their ConfigMaps
};

}  // namespace ganscale::controller::scaling_sweep
