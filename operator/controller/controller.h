#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "controller/metrics.h"
#include "controller/work_queue.h"
#include "kube/sleep.h"

namespace ganscale::controller {

/// Reconciles the objects of one kind: takes keys from its work queue, and requeues them as the
/// reconcile requests, or with backoff if it fails.
class Controller {
 public:
  /// Reconciles one object. Level-triggered: it acts on the current state, not on events. Returns
  /// when to reconcile it again at the latest. Exceptions are logged and counted, and the key is
  /// requeued with backoff.
  using Reconcile = std::function<std::optional<std::chrono::seconds>(const Key&)>;

  /// name: the value of the label `controller` of its metrics.
  Controller(std::string name, Reconcile reconcile, WorkQueue::Limits limits = {});

  const std::string& name() const { return name_; }
  WorkQueue& queue() { return queue_; }

  /// Runs `workers` threads until `stopped` returns true; then shuts down the queue and waits for
  /// the running reconciles.
  void run(int workers, const Stopped& stopped);

  /// Adds the controller's metrics to the families.
  void collect(Families& families) const;

 private:
  void work();
  void reconcile(const Key& key);

  const std::string name_;
  const Reconcile reconcile_;
  WorkQueue queue_;
  ControllerMetrics metrics_;
};

}  // namespace ganscale::controller
