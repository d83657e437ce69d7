#include "scaling_sweep/decide/points.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr double kDoubtfulVariation = 0.05;

/// The results of a point's repeats.
std::vector<const Result*> results_of(const Plan& plan, const Record& record, std::size_t point) {
  std::vector<const Result*> results;
  for (const SweepRun& run : plan.runs) {
    if (run.point != point) continue;
    const Result* result = find_result(record, run.name, plan.points[point].hash);
    if (result != nullptr) results.push_back(result);
  }
  return results;
}

std::vector<double> values(const std::vector<const Result*>& results,
                           const std::function<double(const Measured&)>& value) {
  std::vector<double> list;
  for (const Result* result : results) {
    if (result->measured) list.push_back(value(*result->measured));
  }
  return list;
}

std::vector<double> rates(const std::vector<const Result*>& results) {
  return values(results, &Measured::images_per_second);
}

StepTimes step_times(const std::vector<const Result*>& results) {
  const auto each = [&](const std::function<double(const Measured&)>& seconds) {
    return median(values(results, [&](const Measured& m) {
      return seconds(m) / static_cast<double>(std::max<std::int64_t>(m.steps, 1));
    }));
  };
  return {.compute = each([](const Measured& m) {
            const double waits = m.all_reduce_seconds + m.data_wait_seconds + m.role_wait_seconds;
            return std::max(m.seconds - waits, 0.0);
          }),
          .all_reduce = each(&Measured::all_reduce_seconds),
          .data_wait = each(&Measured::data_wait_seconds),
          .role_wait = each(&Measured::role_wait_seconds),
          .median = median(values(results, &Measured::step_seconds_median)),
          .p99 = median(values(results, &Measured::step_seconds_p99))};
}

bool measures_whole_trainings(const std::vector<const Result*>& results) {
  return std::ranges::any_of(results, [](const Result* result) {
    return result->measured && result->measured->steps == 0;
  });
}

void add_times(const std::vector<const Result*>& results, PointResult& point) {
  point.straggler_ratio = median(values(results, &Measured::straggler_ratio));
  if (measures_whole_trainings(results)) {
    point.completion_seconds = median(values(results, &Measured::seconds));
    return;
  }
  const StepTimes step = step_times(results);
  point.step = step;
  if (step.total() > 0) point.communication = step.all_reduce / step.total();
}

/// Returns a share of the runs that have it.
std::vector<double> shares(const std::vector<const Result*>& results,
                           std::optional<double> Measured::* member) {
  std::vector<double> known;
  for (const Result* result : results) {
    const auto share = result->measured ? (*result->measured).*member : std::nullopt;
    if (share) known.push_back(*share);
  }
  return known;
}

/// Collects nodes and images, and notes whether the repeats differ in them.
void add_places(const std::vector<const Result*>& results, PointResult& point) {
  std::set<std::string> nodes;
  std::set<std::string> images;
  std::set<std::vector<std::string>> node_sets;
  for (const Result* result : results) {
    if (!result->measured) continue;
    nodes.insert(result->nodes.begin(), result->nodes.end());
    node_sets.insert(result->nodes);
    if (!result->image_id.empty()) images.insert(result->image_id);
  }
  point.nodes.assign(nodes.begin(), nodes.end());
  point.image_ids.assign(images.begin(), images.end());
  if (node_sets.size() > 1) point.warnings.emplace_back("the repeats ran on different nodes");
  if (images.size() > 1) point.warnings.emplace_back("the repeats ran different images");
}

void add_warnings(const std::vector<const Result*>& results, PointResult& point) {
  if (point.failed > 0) {
    point.warnings.push_back("failed runs: " + std::to_string(point.failed));
  }
  if (point.variation.value_or(0) > kDoubtfulVariation) {
    point.warnings.emplace_back("the repeats vary by more than 5%");
  }
  const bool restarted =
      std::ranges::any_of(results, [](const Result* result) { return result->restarts > 0; });
  if (restarted) point.warnings.emplace_back("a run was restarted");
}

PointResult point_result(const std::vector<const Result*>& results) {
  PointResult point;
  const std::vector<double> rate = rates(results);
  point.measured = static_cast<int>(rate.size());
  point.failed = static_cast<int>(results.size()) - point.measured;
  if (!rate.empty()) {
    point.images_per_second = median(rate);
    point.interval = interval_of(rate);
    point.variation = variation(rate);
    add_times(results, point);
    const auto memory = shares(results, &Measured::memory_share);
    if (!memory.empty()) point.memory_share = std::ranges::max(memory);
    const auto use = shares(results, &Measured::gpu_use);
    if (!use.empty()) point.gpu_use = median(use);
  }
  add_places(results, point);
  add_warnings(results, point);
  return point;
}

void compare(const Plan& plan, const Record& record, std::size_t index, Summary& summary) {
  PointResult& point = summary.points[index];
  const PointResult& base = summary.points[plan.baseline];
  if (point.measured == 0 || base.measured == 0) return;
  // More, or as little, is no measurement, and fits in no chart.
  constexpr double kMostSpeedup = 1e9;
  const double speedup = point.images_per_second / base.images_per_second;
  if (!(speedup < kMostSpeedup && speedup > 1 / kMostSpeedup)) return;
  point.speedup = speedup;
  if (index != plan.baseline) {  // which is itself, however much it varies
    point.speedup_interval = interval_of_ratio(rates(results_of(plan, record, index)),
                                               rates(results_of(plan, record, plan.baseline)));
  }
  point.efficiency = *point.speedup * plan.points[plan.baseline].ranks / plan.points[index].ranks;
}

}  // namespace

Summary summarize(const Plan& plan, const Record& record) {
  Summary summary;
  std::vector<ScalingPoint> measured;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    summary.points.push_back(point_result(results_of(plan, record, i)));
    const PointResult& point = summary.points.back();
    if (point.measured == 0) continue;
    measured.push_back({static_cast<double>(plan.points[i].ranks), point.images_per_second});
    const bool is_best =
        !summary.best || point.images_per_second > summary.points[*summary.best].images_per_second;
    if (is_best) summary.best = i;
  }
  for (std::size_t i = 0; i < plan.points.size(); ++i) compare(plan, record, i, summary);
  summary.amdahl = fit_amdahl(measured);
  summary.usl = fit_usl(measured);
  return summary;
}

}  // namespace ganscale::controller::scaling_sweep
