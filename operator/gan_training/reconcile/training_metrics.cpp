#include "gan_training/reconcile/training_metrics.h"

#include <algorithm>
#include <map>

#include "gan_training/decide/status.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr Metric kByPhase{"ganscale_trainings", "GanTrainings by phase.", telemetry::Type::kGauge};
constexpr Metric kLongestWait{"ganscale_training_longest_wait_seconds",
                              "Longest time that a GanTraining has been waiting to start.",
                              telemetry::Type::kGauge};

}  // namespace

void collect_trainings(const std::vector<Informer::Object>& trainings, Time now,
                       Families& families) {
  std::map<std::string, int> counts;
  std::chrono::seconds longest{0};
  for (const auto& training : trainings) {
    ++counts[text_at(*training, "/status/phase", kPhases.of(Phase::kPending))];
    longest = std::max(longest, waiting_time(*training, now));
  }
  families.declare(kByPhase);
  for (const auto& [phase, count] : counts) families.add(kByPhase, {{"phase", phase}}, count);
  families.add(kLongestWait, {}, static_cast<double>(longest.count()));
}

}  // namespace ganscale::controller::gan_training
