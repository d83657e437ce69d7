#include "training/phases/skipped_updates.h"

#include "base/error.h"

namespace ganscale::training {
namespace {

/// flags: as returned by update_network(), one of them set.
std::string first_parameter(const Phase& phase, const float* flags) {
  for (const auto& [name, parameter] : phase.optimizer->parameters()) {
    if (parameter.grad().defined() && *++flags != 0) return name;
  }
  check(false, "an update was skipped, and all gradients are finite");
  return {};
}

}  // namespace

void SkippedUpdates::add(const Phase& phase, const at::Tensor& flags) {
  updates_.push_back({&phase, device::HostCopy(flags), /*is_recent=*/!flags.is_cpu()});
}

std::vector<SkippedUpdate> SkippedUpdates::take() {
  std::vector<SkippedUpdate> skipped;
  for (Update& update : updates_) {
    if (update.is_recent) continue;
    const auto* flags = update.flags.get().const_data_ptr<float>();
    if (flags[0] != 0)
      skipped.push_back({update.phase->name, first_parameter(*update.phase, flags)});
  }
  std::erase_if(updates_, [](const Update& update) { return !update.is_recent; });
  for (Update& update : updates_) update.is_recent = false;
  return skipped;
}

}  // namespace ganscale::training
