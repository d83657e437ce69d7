#pragma once

#include <string>
#include <vector>

#include "device/host_copy.h"
#include "training/phases/phase.h"

namespace ganscale::training {

/// An update that was skipped because of a NaN or infinite gradient.
struct SkippedUpdate {
  std::string phase;
  std::string parameter;  ///< the first such gradient's
};

/// Reports which updates were skipped: for a GPU a step later, so that the host need not wait for
/// them.
class SkippedUpdates {
 public:
  /// flags: as returned by update_network().
  void add(const Phase& phase, const at::Tensor& flags);
  /// At the end of a step: returns the skipped ones among the updates of this step that the host
  /// has computed, and of the step before that a device has.
  std::vector<SkippedUpdate> take();

 private:
  struct Update {
    const Phase* phase;
    device::HostCopy flags;
    bool is_recent;
  };

  std::vector<Update> updates_;
};

}  // namespace ganscale::training
