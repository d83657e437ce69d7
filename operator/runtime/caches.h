#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/informer.h"

namespace ganscale::controller {

/// Copies of all objects that a training's reconcile looks at.
struct Caches {
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// on_change: called with the key of each training that is concerned by a change.
  Caches(const MakeTransport& make_transport, const Client::Hooks& hooks,
         const std::function<void(const Key&)>& on_change);

  void start();
  bool synced() const;

  std::unique_ptr<Informer> trainings;
  std::unique_ptr<Informer> jobs;
  std::unique_ptr<Informer> pods;
  std::unique_ptr<Informer> config_maps;
  std::unique_ptr<Informer> policies;
  std::unique_ptr<Informer> budgets;

 private:
  std::vector<Informer*> all() const;
};

}  // namespace ganscale::controller
