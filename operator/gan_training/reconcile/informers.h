#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/event_recorder.h"
#include "kube/informer.h"

namespace ganscale::controller::gan_training {

/// The informers of all objects that a reconcile reads.
struct Informers {
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// enqueue: called with the key of the training that a changed object belongs to.
  Informers(const MakeTransport& connect, const Client::Hooks& hooks,
            const std::function<void(const Key&)>& enqueue);

  std::vector<Informer*> all() const;

  std::unique_ptr<Informer> trainings;
  std::unique_ptr<Informer> jobs;  ///< MPIJobs; these and the following are indexed by training
  std::unique_ptr<Informer> pods;
  std::unique_ptr<Informer> config_maps;
  std::unique_ptr<Informer> policies;
  std::unique_ptr<Informer> budgets;
};

/// What the parts of a reconcile need to read and change the cluster.
struct Cluster {
  Client& client;
  const Informers& informers;
  EventRecorder& events;
  std::string operator_namespace;
};

}  // namespace ganscale::controller::gan_training
