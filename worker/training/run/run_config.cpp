#include "training/run/run_config.h"

#include <algorithm>

namespace ganscale::training {

double BudgetConfig::seconds(int device_count) const {
  constexpr double kSecondsAnHour = 3600;
  const double of_devices = gpu_hours * kSecondsAnHour / device_count;
  if (wall_seconds == 0 || of_devices == 0) return std::max(wall_seconds, of_devices);
  return std::min(wall_seconds, of_devices);
}

}  // namespace ganscale::training
