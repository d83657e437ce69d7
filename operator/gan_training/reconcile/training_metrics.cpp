#include "gan_training/reconcile/training_metrics.h"

#include <algorithm>
#include <map>

#include "gan_training/decide/status.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr Metric kByPhase{"ganscale_trainings", "GanTrainings by phase.", telemetry::Type::kGauge};
constexpr Metric kInfo{"ganscale_training_info", "1 for each GanTraining, by its phase.",
                       telemetry::Type::kGauge};
constexpr Metric kLongestWait{"ganscale_training_longest_wait_seconds",
                              "Longest time that a GanTraining has been waiting to run.",
                              telemetry::Type::kGauge};

std::string phase_of(const Json& training) {
  return text_at(training, "/status/phase", std::string(name_in(kPhases, Phase::kPending)));
}

MetricLabels info_labels(const Json& training) {
  return {{"namespace", text_at(training, "/metadata/namespace")},
          {"name", text_at(training, "/metadata/name")},
          {"phase", phase_of(training)}};
}

}  // namespace

void collect_trainings(const std::vector<Informer::Object>& trainings, Time now,
                       Families& families) {
  std::map<std::string, int> counts;
  std::chrono::seconds longest{0};
  for (const auto& training : trainings) {
    ++counts[phase_of(*training)];
    longest = std::max(longest, waiting_time(*training, now));
  }
  families.declare(kByPhase);
  for (const auto& [phase, count] : counts) families.add(kByPhase, {{"phase", phase}}, count);
  families.declare(kInfo);
  for (const auto& training : trainings) families.add(kInfo, info_labels(*training), 1);
  families.add(kLongestWait, {}, static_cast<double>(longest.count()));
}

}  // namespace ganscale::controller::gan_training
