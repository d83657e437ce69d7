#include "planning/model/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planning/model/predict.h"
#include "planning/output/scaling_svg.h"
#include "planning/output/scaling_table.h"
#include "support/expect_error.h"

namespace ganscale::planning {
namespace {

using testing::HasSubstr;

/// A tenth of a second an image, gradients of 100 MB.
Workload steady_workload() {
  return {
      .phases = {{.name = "main", .device = {{1, 0.1}}, .reduced_bytes = 100e6, .reductions = 1}},
      .image_bytes = 1000};
}

const Machine& dgx() { return machine_of_name("dgx-a100"); }

/// From a batch of 64 on a node of eight.
Scaling scale(Mode mode, std::vector<int> gpus, const Assumptions& assumptions = {}) {
  return predict_scaling({.mode = mode, .first = {8, 64}, .gpus = std::move(gpus), .kimg = 3600},
                         steady_workload(), dgx(), assumptions);
}

TEST(Doublings, FillANodeThenDoubleNodesUpToTheLast) {
  EXPECT_THAT(doublings(8, dgx(), 4), testing::ElementsAre(8, 16, 32));
  EXPECT_THAT(doublings(1, dgx(), 3), testing::ElementsAre(1, 2, 4, 8, 16, 24));
  EXPECT_THAT(doublings(8, dgx(), 1), testing::ElementsAre(8));
  EXPECT_THAT(doublings(1, machine_of_name("summit-v100"), 2),
              testing::ElementsAre(1, 2, 4, 6, 12));
}

TEST(PredictScaling, KeepsTheBatchWhenStrong) {
  const Scaling scaling = scale(Mode::kStrong, {8, 16, 32});
  ASSERT_EQ(scaling.rows.size(), 3U);
  EXPECT_EQ(scaling.rows[2].scale.gpus, 32);
  EXPECT_EQ(scaling.rows[2].scale.batch, 64);
  EXPECT_EQ(scaling.rows[0].speedup, 1);
  EXPECT_EQ(scaling.rows[0].efficiency, 1);
  const ScalingRow& last = scaling.rows[2];
  EXPECT_DOUBLE_EQ(last.speedup, scaling.rows[0].seconds_per_kimg / last.seconds_per_kimg);
  EXPECT_DOUBLE_EQ(last.efficiency, last.speedup / 4);
  EXPECT_LT(last.efficiency, 1);
}

TEST(PredictScaling, KeepsTheBatchOfAGpuWhenWeak) {
  const Scaling scaling = scale(Mode::kWeak, {8, 8192});
  EXPECT_EQ(scaling.rows[1].scale.batch, 64 * 1024);
  EXPECT_GT(scaling.rows[1].efficiency, 0.9);
}

TEST(PredictScaling, EndsIfGpusGetNoWholeNumberOfImages) {
  const Scaling scaling = scale(Mode::kStrong, {8, 64, 128, 256});
  EXPECT_EQ(scaling.rows.size(), 2U);
  EXPECT_THAT(scaling.left_out, HasSubstr("the batch of 64 gives 128 GPUs a fractional"));
}

TEST(PredictScaling, EndsIfGpusGetNoWholeNumberOfImagesInAPass) {
  Workload workload = steady_workload();
  workload.passes = 4;
  const auto predicted = [&](Mode mode) {
    return predict_scaling({.mode = mode, .first = {8, 64}, .gpus = {8, 16, 32, 64}}, workload,
                           dgx(), /*assumptions=*/{});
  };
  const Scaling strong = predicted(Mode::kStrong);
  EXPECT_EQ(strong.rows.size(), 2U);
  EXPECT_THAT(
      strong.left_out,
      HasSubstr("the batch of 64 gives 32 GPUs a fractional number of images in each of 4 passes"));
  EXPECT_EQ(predicted(Mode::kWeak).rows.size(), 4U);
}

TEST(PredictScaling, CountsTheStartAndTheCost) {
  const Assumptions still = {.jitter = 0, .spread = 0};
  const ScalingRow row = scale(Mode::kStrong, {8}, still).rows[0];
  EXPECT_NEAR(row.hours, row.seconds_per_kimg + 60.0 / 3600, 1e-9);  // 3,600 kimg
  EXPECT_NEAR(row.gpu_hours(), 8 * row.hours, 1e-9);
  const ScalingRow four = scale(Mode::kStrong, {32}, still).rows[0];
  EXPECT_NEAR(four.hours, four.seconds_per_kimg + 70.0 / 3600, 1e-9);
}

TEST(PredictScaling, OfLabelsWaitsForStragglersOnlyAtTheEnd) {
  // A label's 3,600,000 images in batches of eight are 450,000 steps: jitter is gone.
  const Assumptions assumptions = {.jitter = 0.1, .spread = 0.01, .start_seconds = 0};
  const Scaling scaling = scale(Mode::kPerLabel, {8, 1024}, assumptions);
  const ScalingRow& row = scaling.rows[1];
  EXPECT_EQ(row.step.all_reduce, 0);
  EXPECT_NEAR(row.step.stragglers, 0.8 * 0.01 * mean_largest_normal(1024), 1e-5);
  EXPECT_NEAR(row.hours, 450'000 * row.step.total() / 3600 + 7 * 5.0 / 3600, 1e-6);
}

TEST(PredictScaling, TakesTwoGpusForALabelWhoseNetworksHaveOneEach) {
  const Assumptions assumptions = {.jitter = 0, .spread = 0.01, .start_seconds = 0};
  const auto labels = [&](int gpus_of_rank, std::int64_t batch, std::vector<int> gpus) {
    const Scale first = {.gpus = 8, .batch = batch, .gpus_of_rank = gpus_of_rank};
    return predict_scaling(
        {.mode = Mode::kPerLabel, .first = first, .gpus = std::move(gpus), .kimg = 3600},
        steady_workload(), dgx(), assumptions);
  };
  const ScalingRow one_each = labels(1, 8 * 9, {8, 512}).rows[1];
  const ScalingRow two_each = labels(2, 4 * 9, {8, 1024}).rows[1];
  EXPECT_EQ(two_each.scale.batch, 512 * 9);
  EXPECT_EQ(two_each.nodes, 128);
  EXPECT_DOUBLE_EQ(two_each.step.total(), one_each.step.total());
  EXPECT_DOUBLE_EQ(two_each.seconds_per_kimg, one_each.seconds_per_kimg);
  EXPECT_DOUBLE_EQ(two_each.gpu_hours(), 1024 * two_each.hours);
}

TEST(LimitOf, IsTheLargestTerm) {
  EXPECT_EQ(limit_of({.device = 1, .host = 2, .all_reduce = 3}), "all-reduce");
  EXPECT_EQ(limit_of({.device = 1, .data = 1.5}), "data");
}

TEST(Mode, HasAName) {
  for (const Mode mode : {Mode::kStrong, Mode::kWeak, Mode::kPerLabel}) {
    EXPECT_EQ(mode_of_name(name_of(mode)), mode);
  }
  expect_error(ExitCode::kUsage, "no such mode: sideways (known: strong, weak, per_label)",
               [] { mode_of_name("sideways"); });
}

TEST(ScalingTable, HasALineForEachRow) {
  const std::string table = to_table(scale(Mode::kStrong, {8, 16, 32, 64, 128}));
  EXPECT_EQ(std::ranges::count(table, '\n'), 2 + 4 + 1);
  EXPECT_THAT(table, HasSubstr("further rows left out: "));
}

TEST(ScalingTable, IsAlsoJson) {
  const auto json = to_json(scale(Mode::kWeak, {8, 16}));
  EXPECT_EQ(json["mode"], "weak");
  EXPECT_EQ(json["rows"][1]["gpus"], 16);
  EXPECT_GT(json["rows"][1]["step_seconds"]["all-reduce"], 0);
  EXPECT_EQ(json["rows"][1]["limit"], "device");
}

TEST(ScalingTable, HoldsTheMachineAsJson) {
  const auto json = to_json(machine_of_name("selene"));
  EXPECT_EQ(json["device"], "A100");
  EXPECT_EQ(json["ports"], 8);
  EXPECT_EQ(json["between"]["name"], "HDR");
  EXPECT_EQ(json["inside"]["bytes_per_second"], 300e9);
}

TEST(ScalingSvg, IsOneDocumentOfItsOwn) {
  const std::string svg = to_svg(scale(Mode::kStrong, {8, 16, 32}), "a & b");
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("href")));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("32 GPUs: "));
}

TEST(ScalingSvg, OfOneRowIsWhole) {
  const std::string svg = to_svg(scale(Mode::kStrong, {8}), "one");
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, testing::Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace ganscale::planning
