#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/gan_training.h"
#include "decide/observe.h"

namespace ganscale::controller {

/// What to do after an attempt that did not end by itself.
struct Verdict {
  bool restart = false;
  std::string reason;   ///< one word: PeerLost, DeviceFailed, Stopped, WorkerLost, BadConfig, ...
  std::string message;  ///< for people
};

/// Judges an attempt that failed or lost a worker. The worker's exit code decides: 71, 75 and 143
/// are tried again, as are lost pods; 64, 65, 70, 78 and any other code are not.
Verdict judge(const Attempt& attempt);

/// Returns how long to wait before restart number `restart` (from 1): doubled each time.
std::chrono::seconds backoff(const RestartPolicy& policy, int restart);

}  // namespace ganscale::controller
