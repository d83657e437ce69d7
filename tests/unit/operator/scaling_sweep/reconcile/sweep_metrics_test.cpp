#include "scaling_sweep/reconcile/sweep_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "scaling_sweep/decide/status.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// A sweep as stored once its points made 100, 190 and 360 images per second. steps: that were
/// measured; 0: whole trainings.
Informer::Object measured_sweep(int steps = 20) {
  const Plan plan = make_plan();
  Record record;
  for (const SweepRun& run : plan.runs) {
    const double rate = std::vector{100.0, 190.0, 360.0}[run.point];
    record.results.push_back(make_result(plan, run, rate));
    record.results.back().measured->steps = steps;
    record.results.back().measured->memory_share = 0.5;
    record.results.back().measured->gpu_use = 0.75;
  }
  const Facts facts{
      .generation = 1, .problem_reason = {}, .problem = {}, .plan = plan, .now = Time()};
  return std::make_shared<const Json>(
      Json{{"metadata", {{"namespace", kWeak.name_space}, {"name", kWeak.name}}},
           {"status", next_status(Json(), record, facts)}});
}

/// The value of the sample with these labels.
std::optional<double> value(const Families& families, const std::string& name,
                            const Labels& labels) {
  for (const auto& family : families.all()) {
    if (family.name != name) continue;
    for (const auto& sample : family.samples) {
      if (sample.labels == labels) return sample.value;
    }
  }
  return std::nullopt;
}

const Labels kTwoNodes{{"namespace", "team"}, {"sweep", "weak"}, {"point", "n2"}, {"ranks", "2"}};

TEST(SweepMetrics, AreTheFiguresOfEachPointInSecondsAndShares) {
  Families families;
  collect_sweeps({measured_sweep()}, families);
  const std::map<std::string, double> expected{{"ranks", 2},
                                               {"runs_measured", 2},
                                               {"runs_failed", 0},
                                               {"images_per_second", 190},
                                               {"speedup", 1.9},
                                               {"efficiency_ratio", 0.95},
                                               {"communication_ratio", 0.1},
                                               {"straggler_ratio", 1},
                                               {"gpu_use_ratio", 0.75},
                                               {"memory_ratio", 0.5},
                                               {"step_median_seconds", 0},
                                               {"step_p99_seconds", 0}};
  for (const auto& [name, number] : expected) {
    const auto found = value(families, "ganscale_sweep_" + name, kTwoNodes);
    ASSERT_TRUE(found) << name;
    EXPECT_NEAR(*found, number, 1e-9) << name;
  }
}

// A step of 16 images at 190 a second takes 84.2 ms, of which a tenth is waiting for gradients.
TEST(SweepMetrics, BreakDownTheTimeOfAStep) {
  Families families;
  collect_sweeps({measured_sweep()}, families);
  Labels labels = kTwoNodes;
  labels.emplace_back("part", "exposed all-reduce");
  EXPECT_NEAR(value(families, "ganscale_sweep_step_seconds", labels).value_or(0), 0.00842, 1e-5);
  labels.back().second = "compute";
  EXPECT_NEAR(value(families, "ganscale_sweep_step_seconds", labels).value_or(0), 0.07158, 1e-5);
  labels.back().second = "wait for the other role";
  EXPECT_EQ(value(families, "ganscale_sweep_step_seconds", labels), 0);
}

TEST(SweepMetrics, HaveADurationInsteadOfStepsForWholeTrainings) {
  Families families;
  collect_sweeps({measured_sweep(/*steps=*/0)}, families);
  EXPECT_TRUE(value(families, "ganscale_sweep_completion_seconds", kTwoNodes));
  for (const auto& family : families.all()) {
    EXPECT_FALSE(family.name.starts_with("ganscale_sweep_step_")) << family.name;
  }
}

TEST(SweepMetrics, CountSweepsByPhaseAndOmitWhatWasNotMeasured) {
  const Json points = Json::array({{{"name", "n1"}, {"ranks", 1}, {"n", 0}}, "no point"});
  const Json sweep = {{"metadata", {{"namespace", "team"}, {"name", "new"}}},
                      {"status", {{"phase", "Running"}, {"points", points}}}};
  Families families;
  collect_sweeps({std::make_shared<const Json>(sweep),
                  std::make_shared<const Json>(Json{{"metadata", Json::object()}})},
                 families);
  EXPECT_EQ(value(families, "ganscale_sweeps", {{"phase", "Running"}}), 1);
  EXPECT_EQ(value(families, "ganscale_sweeps", {{"phase", "Pending"}}), 1);
  std::set<std::string> names;
  for (const auto& family : families.all()) names.insert(family.name);
  EXPECT_EQ(names, (std::set<std::string>{"ganscale_sweeps", "ganscale_sweep_info",
                                          "ganscale_sweep_ranks", "ganscale_sweep_runs_measured"}));
  EXPECT_EQ(value(families, "ganscale_sweep_info",
                  {{"namespace", "team"}, {"sweep", "new"}, {"phase", "Running"}}),
            1);
  EXPECT_EQ(value(families, "ganscale_sweep_info",
                  {{"namespace", ""}, {"sweep", ""}, {"phase", "Pending"}}),
            1);
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
