#include "planning/model/goodput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "planning/output/goodput_svg.h"
#include "planning/output/goodput_table.h"

namespace ganscale::planning {
namespace {

using testing::HasSubstr;

/// G takes 10 ms an image and D 30 ms, nothing else takes time.
Workload two_phases() {
  return {.phases = {{.name = "Gmain", .device = {{1, 0.01}}, .reductions = 0},
                     {.name = "Dmain",
                      .network = wire::Role::kDiscriminator,
                      .device = {{1, 0.03}},
                      .reductions = 0}},
          .image_bytes = 1};
}

const Assumptions kStill = {
    .launch_seconds = 0, .jitter = 0, .spread = 0, .exchange_bytes_per_second = 1e12};
const Conditions kQuiet = {.pauses_per_hour = 0};

SimulatedRuns runs_on(std::vector<int> gpus, const Conditions& conditions,
                      double every_kimg = 200) {
  const Workload workload = two_phases();
  const Machine& machine = machine_of_name("dgx-a100");
  const Scaling scaling = predict_scaling(
      {.mode = Mode::kWeak, .first = {8, 64}, .gpus = std::move(gpus)}, workload, machine, kStill);
  return simulate_runs(scaling, {workload, machine, kStill, conditions}, every_kimg, 1);
}

double images_per_second(const SimulatedRuns& runs, const std::string& scheme) {
  const auto is_meant = [&](const SchemeRun& run) { return to_text(run.choice) == scheme; };
  return std::ranges::find_if(runs.schemes.runs, is_meant)->images_per_second;
}

TEST(SimulateRuns, DistinguishesTheSchemes) {
  const SimulatedRuns runs = runs_on({8}, kQuiet);
  ASSERT_EQ(runs.schemes.runs.size(), 6U);
  EXPECT_NEAR(images_per_second(runs, "synchronous"), 64 / 0.32, 1e-6);
  EXPECT_NEAR(images_per_second(runs, "per_label"), 64 / 0.32, 1e-6);
  // Half the GPUs have twice the images each: G takes 160 ms, D 480.
  EXPECT_NEAR(images_per_second(runs, "asynchronous 1:1, max_staleness 0"), 64 / 0.64, 1e-6);
  EXPECT_NEAR(images_per_second(runs, "asynchronous 1:1, max_staleness 2"), 64 / 0.48, 4);
}

TEST(SimulateRuns, HasMoreFailuresAndShorterIntervalsOnMoreGpus) {
  const SimulatedRuns runs = runs_on({8, 1024}, kQuiet);
  ASSERT_EQ(runs.rows.size(), 2U);
  EXPECT_NEAR(runs.rows[0].hours_between_failures, 50'000.0 / 8, 1e-6);
  EXPECT_NEAR(runs.rows[1].best.seconds, runs.rows[0].best.seconds / std::sqrt(128), 5);
  // 200,000 images are 1,000 s on 8 GPUs and 8 s on 1,024, where a checkpoint takes 20.
  EXPECT_NEAR(runs.rows[0].configured->seconds, 1000, 1e-6);
  EXPECT_GT(runs.rows[0].configured->goodput, 0.99);
  EXPECT_LT(runs.rows[1].configured->goodput, 0.5);
  EXPECT_GT(runs.rows[1].best.goodput, 0.98);
}

TEST(SimulateRuns, CountsTheImagesOfALabelBetweenItsCheckpoints) {
  const Workload workload = two_phases();
  const Machine& machine = machine_of_name("dgx-a100");
  const Question labels = {.mode = Mode::kPerLabel, .first = {8, 64}, .gpus = {8}};
  const Scaling scaling = predict_scaling(labels, workload, machine, kStill);
  const SimulatedRuns runs =
      simulate_runs(scaling, {workload, machine, kStill, kQuiet}, /*every_kimg=*/200, 1);
  // Each GPU takes 40 ms for an image of its label.
  EXPECT_NEAR(runs.rows[0].configured->seconds, 8000, 1e-6);
  EXPECT_NEAR(runs.rows[0].configured->kimg, 200, 1e-9);
  EXPECT_NEAR(runs.rows[0].best.kimg, runs.rows[0].best.seconds / 40, 1e-9);
  EXPECT_NEAR(runs.curves[0].points[0].kimg, 10.0 / 40, 1e-9);
}

TEST(SimulateRuns, HasACurveForEachFailureRate) {
  const SimulatedRuns runs = runs_on({1024}, kQuiet);
  ASSERT_EQ(runs.curves.size(), 3U);
  EXPECT_EQ(runs.schemes.gpus, 1024);
  const auto last = [&](int curve) { return runs.curves[curve].points.back().goodput; };
  EXPECT_LT(last(0), last(1));
  EXPECT_LT(last(1), last(2));
}

TEST(SimulateRuns, SaysThatThereAreNoCheckpoints) {
  const SimulatedRuns runs = runs_on({8}, kQuiet, /*every_kimg=*/0);
  EXPECT_FALSE(runs.rows[0].configured);
  EXPECT_THAT(to_table(runs), HasSubstr("none"));
  EXPECT_FALSE(to_json(runs)["rows"][0].contains("configured"));
}

TEST(SimulatedRuns, AreAlsoJsonAndPlots) {
  const SimulatedRuns runs = runs_on({8, 16}, {});
  const auto json = to_json(runs);
  EXPECT_EQ(json["gpus"], 16);
  EXPECT_EQ(json["rows"][1]["gpus"], 16);
  EXPECT_GT(json["curves"][0]["points"][0]["goodput"], 0);
  const std::string svg = to_svg(runs, "a & b");
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("per_label: "));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, testing::Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace ganscale::planning
