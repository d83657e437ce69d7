#include "scaling_sweep/decide/status.h"

#include <algorithm>
#include <cmath>

#include "kind/refusal.h"
#include "kind/summary.h"
#include "object/condition.h"
#include "scaling_sweep/decide/progress.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// Rounds to so many decimals: a status is for people too.
double rounded(double value, int decimals) {
  const double digits = std::pow(10, decimals);
  return std::round(value * digits) / digits;
}

Json interval_json(const Interval& interval, int decimals) {
  return {{"low", rounded(interval.low, decimals)}, {"high", rounded(interval.high, decimals)}};
}

void write_rate(const PointResult& result, Json& json) {
  json["imagesPerSecond"] = rounded(result.images_per_second, 2);
  json["secondsPerKimg"] = rounded(1000 / result.images_per_second, 3);
  if (result.interval) json["interval"] = interval_json(*result.interval, 2);
  if (result.variation) json["variationPercent"] = rounded(100 * *result.variation, 2);
  if (result.speedup) json["speedup"] = rounded(*result.speedup, 3);
  if (result.speedup_interval) {
    json["speedupInterval"] = interval_json(*result.speedup_interval, 3);
  }
  if (result.efficiency) json["efficiencyPercent"] = rounded(100 * *result.efficiency, 1);
}

Json step_json(const StepTimes& step) {
  const auto ms = [](double seconds) { return rounded(1000 * seconds, 3); };
  return {{"computeMs", ms(step.compute)},    {"exposedAllReduceMs", ms(step.all_reduce)},
          {"dataWaitMs", ms(step.data_wait)}, {"roleWaitMs", ms(step.role_wait)},
          {"medianMs", ms(step.median)},      {"p99Ms", ms(step.p99)}};
}

void write_times(const PointResult& result, Json& json) {
  if (result.communication) {
    json["communicationPercent"] = rounded(100 * *result.communication, 1);
  }
  if (result.completion_seconds) {
    const double slowest = *result.completion_seconds;
    json["completionSeconds"] = rounded(slowest, 3);
    json["meanRankSeconds"] = rounded(slowest / result.straggler_ratio, 3);
  }
  if (result.step) json["step"] = step_json(*result.step);
  json["stragglerRatio"] = rounded(result.straggler_ratio, 3);
  if (result.memory_share) json["memoryPercent"] = rounded(100 * *result.memory_share, 1);
  if (result.gpu_use) json["gpuUsePercent"] = rounded(100 * *result.gpu_use, 1);
}

Json law_json(const ScalingFit& fit, bool has_coherence) {
  Json json = {{"imagesPerSecondOfOneRank", rounded(fit.rate_of_one, 3)},
               {"contention", rounded(fit.contention, 6)},
               {"rSquared", rounded(fit.r_squared, 4)}};
  if (has_coherence) json["coherence"] = rounded(fit.coherence, 9);
  if (const auto peak = fit.peak_ranks()) json["peakRanks"] = rounded(*peak, 1);
  return json;
}

Json point_json(const PlannedPoint& planned, const PointResult& result) {
  Json json = {{"name", point_name(planned.point)},
               {"nodes", planned.point.nodes},
               {"ranks", planned.ranks},
               {"gpus", planned.gpus},
               {"n", result.measured},
               {"failed", result.failed}};
  if (planned.point.gpus_per_node > 0) json["gpusPerNode"] = planned.point.gpus_per_node;
  if (planned.global_batch > 0) json["globalBatch"] = planned.global_batch;
  if (result.measured > 0) {
    write_rate(result, json);
    write_times(result, json);
  }
  if (!result.nodes.empty()) {
    constexpr std::size_t kMostNames = 64;
    const auto count = static_cast<std::ptrdiff_t>(std::min(result.nodes.size(), kMostNames));
    json["nodeNames"] =
        std::vector<std::string>(result.nodes.begin(), result.nodes.begin() + count);
  }
  if (!result.image_ids.empty()) json["imageIDs"] = result.image_ids;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  return json;
}

Json fit_json(const Summary& summary) {
  Json json = Json::object();
  if (summary.amdahl) json["amdahl"] = law_json(*summary.amdahl, false);
  if (summary.usl) json["usl"] = law_json(*summary.usl, true);
  return json;
}

/// The figures of the fastest point, as `kubectl get` shows them.
void write_best(const Summary& summary, Json& status) {
  for (const char* key :
       {"bestImagesPerSecond", "speedup", "efficiencyPercent", "communicationPercent"}) {
    status.erase(key);
  }
  if (!summary.best) return;
  const PointResult& best = summary.points[*summary.best];
  status["bestImagesPerSecond"] = rounded(best.images_per_second, 1);
  if (best.speedup) status["speedup"] = rounded(*best.speedup, 2);
  if (best.efficiency) status["efficiencyPercent"] = rounded(100 * *best.efficiency, 1);
  if (best.communication) status["communicationPercent"] = rounded(100 * *best.communication, 1);
}

}  // namespace

void write_figures(const Plan& plan, const Record& record, const Summary& summary, Json& status) {
  const int done = done_count(plan, record);
  status["mode"] = name(plan.spec.mode);
  status["baseline"] = point_name(plan.points[plan.baseline].point);
  status["done"] = std::to_string(done) + "/" + std::to_string(plan.runs.size());
  status["points"] = Json::array();
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    status["points"].push_back(point_json(plan.points[i], summary.points[i]));
  }
  status["fit"] = fit_json(summary);
  status.erase("report");
  if (!record.results.empty()) status["report"] = report_name(plan.key);
  write_best(summary, status);
}

Json next_status(const Json& old, const Record& record, const Facts& facts) {
  Json status = old.is_object() ? old : Json::object();
  write_record(record, status);
  status["observedGeneration"] = facts.generation;
  const bool is_good = facts.problem.empty();
  if (is_good) write_figures(facts.plan, record, summarize(facts.plan, record), status);
  const auto set = [&](const Condition& condition) {
    set_condition(status, condition, facts.generation, facts.now);
  };
  set({"Validated", is_good, is_good ? "Accepted" : facts.problem_reason, facts.problem});
  const bool goes_on = record.phase == Phase::kRunning;
  set({"Progressing", goes_on, record.reason.empty() ? "NotStarted" : record.reason,
       record.message});
  for (const Phase end : {Phase::kSucceeded, Phase::kFailed}) {
    set(phase_condition(end, record.phase, record.reason, record.message));
  }
  const Refusal refusal = is_good ? refusal_of_server(old, facts.generation)
                                  : Refusal{facts.problem_reason, facts.problem};
  for (const Condition& condition :
       summary_conditions(record.phase, record.reason, record.message, refusal)) {
    set(condition);
  }
  return status;
}

}  // namespace ganscale::controller::scaling_sweep
