#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "gan_training/spec/node_profile.h"
#include "gan_training/spec/worker_schema.h"
#include "kube/event_recorder.h"
#include "scaling_sweep/decide/progress.h"
#include "scaling_sweep/reconcile/informers.h"

namespace ganscale::controller::scaling_sweep {

/// Reconciles sweeps: observes one, decides (decide/progress.h), stores the decision in the status
/// and carries it out. Level-triggered: it acts on the current state, never on events, so it may be
/// called, or killed, at any time.
class Reconciler {
 public:
  struct Parts {
    Client& client;
    const Informers& informers;
    EventRecorder& events;
    const gan_training::NodeProfiles& profiles;
    const gan_training::WorkerSchema& schema;
    std::function<Time()> now;
  };

  explicit Reconciler(Parts parts) : parts_(std::move(parts)) {}

  /// Returns when to reconcile again at the latest. Throws as reconcile_and_report().
  std::optional<std::chrono::seconds> reconcile(const Key& key);

 private:
  std::chrono::seconds reconcile(const ScalingSweep& sweep);
  Situation observe(const ScalingSweep& sweep) const;
  Json store(const ScalingSweep& sweep, const Situation& seen, const Decision& decision);
  void remove_trainings(const ScalingSweep& sweep, const Situation& seen, const Decision& decision);
  void start_training(const ScalingSweep& sweep, const Plan& plan, std::size_t run);
  void keep_report(const Plan& plan, const Record& record);

  Parts parts_;
};

}  // namespace ganscale::controller::scaling_sweep
