#include "training/phases/joined_batches.h"

#include "base/error.h"

namespace ganscale::training {

bool joins_batches(const RunConfig& config, models::BatchJoining can, at::DeviceType device) {
  const JoinedBatches wanted = config.discriminator.joined_batches;
  if (wanted == JoinedBatches::kYes && can == models::BatchJoining::kNone) {
    throw ConfigError(config.discriminator.joined_batches_location.text() +
                      ": discriminator.joined_batches: the discriminator of " + config.model.name +
                      " scores one batch at a time; leave it out");
  }
  if (wanted != JoinedBatches::kAuto) return wanted == JoinedBatches::kYes;
  return can == models::BatchJoining::kByDefault ||
         (can == models::BatchJoining::kForSpeed && config.model.layout.joins_batches(device));
}

}  // namespace ganscale::training
