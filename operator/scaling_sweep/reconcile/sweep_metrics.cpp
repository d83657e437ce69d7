#include "scaling_sweep/reconcile/sweep_metrics.h"

#include <array>
#include <map>

#include "object/lookup.h"
#include "scaling_sweep/decide/record.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr telemetry::Type kGauge = telemetry::Type::kGauge;
constexpr Metric kByPhase{"ganscale_sweeps", "ScalingSweeps by phase.", kGauge};
constexpr Metric kInfo{"ganscale_sweep_info", "1 for each ScalingSweep, by its phase.", kGauge};
constexpr Metric kStepSeconds{"ganscale_sweep_step_seconds", "Median time of each part of a step.",
                              kGauge};

/// A figure of a point: its place in the status, and its unit there.
struct Figure {
  Metric metric;
  const char* pointer;
  double scale;
};

constexpr double kPercent = 0.01;
constexpr double kMilliseconds = 0.001;
constexpr std::array<Figure, 13> kFigures{{
    {{"ganscale_sweep_ranks", "Ranks of a point.", kGauge}, "/ranks", 1},
    {{"ganscale_sweep_runs_measured", "Runs of a point that were measured.", kGauge}, "/n", 1},
    {{"ganscale_sweep_runs_failed", "Runs of a point that failed.", kGauge}, "/failed", 1},
    {{"ganscale_sweep_images_per_second", "Median images per second.", kGauge},
     "/imagesPerSecond",
     1},
    {{"ganscale_sweep_speedup", "Images per second relative to the baseline.", kGauge},
     "/speedup",
     1},
    {{"ganscale_sweep_efficiency_ratio", "Speedup divided by the ratio of the ranks.", kGauge},
     "/efficiencyPercent",
     kPercent},
    {{"ganscale_sweep_communication_ratio",
      "Share of the time in which ranks only wait for gradients.", kGauge},
     "/communicationPercent",
     kPercent},
    {{"ganscale_sweep_straggler_ratio", "Work of the slowest rank relative to the mean.", kGauge},
     "/stragglerRatio",
     1},
    {{"ganscale_sweep_completion_seconds",
      "Duration of a whole training of mode PerLabel, on its slowest rank.", kGauge},
     "/completionSeconds",
     1},
    {{"ganscale_sweep_gpu_use_ratio",
      "Share of the time in which a GPU computes, mean over the ranks.", kGauge},
     "/gpuUsePercent",
     kPercent},
    {{"ganscale_sweep_memory_ratio", "Highest share of a device's memory in use.", kGauge},
     "/memoryPercent",
     kPercent},
    {{"ganscale_sweep_step_median_seconds", "Median duration of a step in seconds.", kGauge},
     "/step/medianMs",
     kMilliseconds},
    {{"ganscale_sweep_step_p99_seconds", "99th percentile of the duration of a step in seconds.",
      kGauge},
     "/step/p99Ms",
     kMilliseconds},
}};

constexpr std::array<std::pair<const char*, const char*>, 4> kParts{{
    {"compute", "/step/computeMs"},
    {"exposed all-reduce", "/step/exposedAllReduceMs"},
    {"data wait", "/step/dataWaitMs"},
    {"wait for the other role", "/step/roleWaitMs"},
}};

std::string phase_of(const Json& sweep) {
  return text_at(sweep, "/status/phase", std::string(name_in(kPhases, Phase::kPending)));
}

MetricLabels labels_of(const Json& sweep) {
  return {{"namespace", text_at(sweep, "/metadata/namespace")},
          {"sweep", text_at(sweep, "/metadata/name")}};
}

void collect_point(const Json& point, MetricLabels labels, Families& families) {
  labels.emplace_back("point", text_at(point, "/name"));
  labels.emplace_back("ranks", point.value("ranks", Json()).dump());
  for (const Figure& figure : kFigures) {
    if (const auto value = number_at(point, figure.pointer)) {
      families.add(figure.metric, labels, *value * figure.scale);
    }
  }
  labels.emplace_back("part", "");
  for (const auto& [part, pointer] : kParts) {
    labels.back().second = part;
    if (const auto value = number_at(point, pointer)) {
      families.add(kStepSeconds, labels, *value * kMilliseconds);
    }
  }
}

}  // namespace

void collect_sweeps(const std::vector<Informer::Object>& sweeps, Families& families) {
  std::map<std::string, int> counts;
  for (const auto& sweep : sweeps) ++counts[phase_of(*sweep)];
  families.declare(kByPhase);
  for (const auto& [phase, count] : counts) families.add(kByPhase, {{"phase", phase}}, count);
  families.declare(kInfo);
  for (const auto& sweep : sweeps) {
    MetricLabels labels = labels_of(*sweep);
    labels.emplace_back("phase", phase_of(*sweep));
    families.add(kInfo, labels, 1);
  }
  for (const auto& sweep : sweeps) {
    for (const Json& point : list_at(*sweep, "/status/points")) {
      if (point.is_object()) collect_point(point, labels_of(*sweep), families);
    }
  }
}

}  // namespace ganscale::controller::scaling_sweep
