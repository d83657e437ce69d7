#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "gan_training/reconcile/observation.h"
#include "gan_training/reconcile/worker_probe.h"

namespace ganscale::controller::gan_training {

/// Reconciles trainings: observes one, decides (decide/life.h), stores the decision in the status
/// and carries it out. Level-triggered: it acts on the current state, never on events, so it may be
/// called, or killed, at any time.
class Reconciler {
 public:
  struct Parts {
    Cluster cluster;
    Rules rules;
    WorkerProbe& probe;
    std::string token_key;  ///< secret: each training's control token is derived from it
    std::function<Time()> now;
  };

  explicit Reconciler(Parts parts) : parts_(std::move(parts)) {}

  /// Returns when to reconcile again at the latest. Throws as reconcile_and_report().
  std::optional<std::chrono::seconds> reconcile(const Key& key);

 private:
  std::chrono::seconds reconcile(const GanTraining& training);
  void act(const GanTraining& training, const Observation& seen, const Decision& decision);
  void take_steps(const GanTraining& training, const Observation& seen, const Decision& decision);
  Json next_status(const GanTraining& training, const Observation& seen, const Record& record);
  void follow_worker(const GanTraining& training, const Observation& seen,
                     const Decision& decision);

  Parts parts_;
};

}  // namespace ganscale::controller::gan_training
