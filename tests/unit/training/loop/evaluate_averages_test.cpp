#include "training/loop/evaluate_averages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::training {
namespace {

metrics::Measurements measured(const std::string& metric, double value) {
  return {.values = {{metric, value}, {"seconds_of_nothing", 1}}, .by_label = {}};
}

TEST(BestAverage, HasTheLowestDistance) {
  const auto best = best_average(measured("fid5k", 3), 10,
                                 {{2, measured("fid5k", 4)}, {50, measured("fid5k", 2)}});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->metric, "fid5k");
  EXPECT_EQ(best->kimg, 50);
  EXPECT_EQ(best->value, 2);
}

TEST(BestAverage, HasTheHighestScore) {
  EXPECT_EQ(best_average(measured("is5k", 3), 10, {{2, measured("is5k", 4)}})->kimg, 2);
  EXPECT_EQ(best_average(measured("is5k", 3), 10, {{2, measured("is5k", 2)}})->kimg, 10);
}

TEST(BestAverage, IsNeverOneWhoseMetricIsNaN) {
  EXPECT_EQ(best_average(measured("fid5k", NAN), 10, {{2, measured("fid5k", 4)}})->kimg, 2);
  EXPECT_EQ(best_average(measured("fid5k", 4), 10, {{2, measured("fid5k", NAN)}})->kimg, 10);
}

TEST(BestAverage, IsUnknownIfNoMetricHasADirection) {
  EXPECT_FALSE(best_average({.values = {{"brightness", 40}}, .by_label = {}}, 10, {}));
}

TEST(MeasuredNames, AreOfEachAverage) {
  EXPECT_THAT(
      measured_names({metrics::parse_metric("fid5k"), metrics::parse_metric("pr5k3")}, {2}),
      testing::UnorderedElementsAre("fid5k", "fid5k_ema_2", "pr5k3_precision",
                                    "pr5k3_precision_ema_2", "pr5k3_recall", "pr5k3_recall_ema_2"));
}

}  // namespace
}  // namespace ganscale::training
