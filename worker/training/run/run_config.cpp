#include "training/run/run_config.h"

#include <algorithm>

#include "base/error.h"

namespace ganscale::training {

double BudgetConfig::seconds(int device_count) const {
  constexpr double kSecondsAnHour = 3600;
  const double of_devices = gpu_hours * kSecondsAnHour / device_count;
  if (wall_seconds == 0 || of_devices == 0) return std::max(wall_seconds, of_devices);
  return std::min(wall_seconds, of_devices);
}

void require_divisible_batch(const RunConfig& config, int ranks, const std::string& whose) {
  const TrainingConfig& training = config.training;
  if (ranks > 0 && training.batch % (ranks * training.accumulate) == 0) return;
  const std::string passes = training.accumulate == 1 ? ""
                                                      : " times training.accumulate, " +
                                                            std::to_string(training.accumulate);
  throw ConfigError(config.batch_location.text() + ": training.batch: must be divisible by the " +
                    whose + passes + ": " + std::to_string(training.batch) + " on " +
                    std::to_string(ranks) + " ranks");
}

}  // namespace ganscale::training
