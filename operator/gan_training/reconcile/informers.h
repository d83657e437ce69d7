#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/non_copyable.h"
#include "gan_training/reconcile/pod_warnings.h"
#include "kind/make_informers.h"
#include "kube/event_recorder.h"

namespace ganscale::controller::gan_training {

/// The informers of all objects that a reconcile reads.
struct Informers : NonCopyable {
  explicit Informers(const MakeInformers& make);

  std::vector<Informer*> all() const;
  /// Whether a node takes no more pods, as before it is drained. False if the operator serves
  /// only some namespaces, since it then may not read nodes.
  bool is_cordoned(const std::string& node) const;

  std::unique_ptr<Informer> trainings;
  std::unique_ptr<Informer> jobs;  ///< MPIJobs; these and the following are indexed by training
  std::unique_ptr<Informer> pods;
  std::unique_ptr<Informer> config_maps;
  std::unique_ptr<Informer> policies;
  std::unique_ptr<Informer> budgets;
  std::unique_ptr<Informer> nodes;  ///< those that are cordoned; null if only some namespaces count
};

/// What the parts of a reconcile need to read and change the cluster.
struct Cluster {
  Client& client;
  const Informers& informers;
  EventRecorder& events;
  PodWarnings& warnings;
  std::string operator_namespace;
};

}  // namespace ganscale::controller::gan_training
