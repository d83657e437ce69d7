#include "training/run/run_config.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ganscale::training {

double BudgetConfig::seconds(int device_count) const {
  const double left = seconds_left(/*used_seconds=*/0, /*used_device_seconds=*/0, device_count);
  return std::isinf(left) ? 0 : left;
}

double BudgetConfig::seconds_left(double used_seconds, double used_device_seconds,
                                  int device_count) const {
  constexpr double kSecondsAnHour = 3600;
  double left = std::numeric_limits<double>::infinity();
  if (wall_seconds > 0) left = std::min(left, wall_seconds - used_seconds);
  if (gpu_hours > 0) {
    left = std::min(left, (gpu_hours * kSecondsAnHour - used_device_seconds) / device_count);
  }
  return left;
}

std::map<std::string, double> scheduled_values(const RunConfig& config, std::int64_t images_seen) {
  std::map<std::string, double> values;
  const auto add_beta2 = [&](const char* name, const optim::NetworkPolicy& policy) {
    if (const auto beta2 = optim::effective_beta2(policy, images_seen)) values[name] = *beta2;
  };
  add_beta2("generator_beta2", config.generator.policy);
  add_beta2("discriminator_beta2", config.discriminator.policy);
  const losses::PenaltyOptions& penalties = config.discriminator.penalties;
  if (!penalties.schedule.is_constant()) {
    const double factor = penalties.factor(images_seen);
    if (penalties.r1_gamma > 0) values["r1_gamma"] = penalties.r1_gamma * factor;
    if (penalties.r2_gamma > 0) values["r2_gamma"] = penalties.r2_gamma * factor;
  }
  const optim::EmaConfig& ema = config.generator.ema;
  if (!ema.schedule.is_constant())
    values["ema_kimg"] = optim::ema_half_life_images(ema, images_seen) / 1000;
  return values;
}

}  // namespace ganscale::training
