#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "gan_training/decide/observe.h"
#include "gan_training/spec/training_spec.h"

namespace ganscale::controller::gan_training {

/// Whether to restart after a failed attempt, and why.
struct RestartDecision {
  bool restart = false;
  bool counts = true;   ///< as a failure: maxRestarts of them end the training
  std::string reason;   ///< one word: PeerLost, DeviceFailed, Stopped, WorkerLost, BadConfig, ...
  std::string message;  ///< for people
};

/// The reason of a restart after a failed preflight.
inline constexpr const char* kFabricBelowFloor = "FabricBelowFloor";

/// Decides whether to restart after an attempt that failed or lost a worker. Exit codes 69, 71, 75
/// and 143 and lost pods are restarted; 64, 65, 70, 78 and any other code are not. What Kubernetes
/// did to the pods does not count, nor does a failed preflight.
RestartDecision decide_restart(const Attempt& attempt);

/// Returns how long to wait before restart number `restart` (from 1): doubled each time.
std::chrono::seconds backoff(const RestartPolicy& policy, int restart);

}  // namespace ganscale::controller::gan_training
