#include "metrics/by_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/metrics/stats_of.h"

namespace ganscale::metrics {
namespace {

Measurements measured(const std::string& metric, const Sets& sets, comm::Group& group) {
  Measurements result;
  measure_by_label(parse_metric(metric), sets, Divisor::kCount, group, result);
  return result;
}

Measurements measured(const std::string& metric, const Sets& sets) {
  return measured(metric, sets, *comm::make_single_group());
}

const std::vector<std::int64_t> kTwoLabels = {0, 0, 1, 1};

TEST(MeasureByLabel, GivesTheDistanceOfEachLabelTheirMeanAndMinimum) {
  const auto real = stats_of({0, 2, 10, 12}, kTwoLabels);
  const auto fake =
      stats_of({1, 3, 14, 16}, kTwoLabels);  // each of the same spread, moved by 1 and 4
  const auto result = measured("fid4_by_label", {real, fake, 2, 1});
  const auto& labels = result.by_label.at("fid4_labels");
  EXPECT_NEAR(labels.at(0), 1, 1e-9);
  EXPECT_NEAR(labels.at(1), 16, 1e-9);
  EXPECT_NEAR(result.values.at("fid4_by_label"), 8.5, 1e-9);
  EXPECT_NEAR(result.values.at("fid4_by_label_min"), 1, 1e-9);
}

// Label 0 has generated its reals, label 1 a point far away, though near the reals of label 0.
TEST(MeasureByLabel, ShowsACollapsedLabelThatTheTotalHides) {
  const auto real = stats_of({0, 1, 2, 10, 11, 12}, {0, 0, 0, 1, 1, 1});
  const auto fake = stats_of({0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1});
  const auto result = measured("pr6k1_by_label", {real, fake, 2, 1});
  EXPECT_EQ(result.by_label.at("pr6k1_precision_labels"), (std::vector<double>{1, 0}));
  EXPECT_EQ(result.by_label.at("pr6k1_recall_labels"), (std::vector<double>{1, 0}));
  EXPECT_EQ(result.values.at("pr6k1_by_label_recall"), 0.5);
  EXPECT_EQ(result.values.at("pr6k1_by_label_recall_min"), 0);
  const auto coverage = measured("dc6k1_by_label", {real, fake, 2, 1});
  EXPECT_EQ(coverage.by_label.at("dc6k1_coverage_labels"), (std::vector<double>{1, 0}));
  EXPECT_EQ(coverage.values.at("dc6k1_by_label_density_min"), 0);
}

TEST(MeasureByLabel, LeavesOutALabelWithTooFewImages) {
  const auto real = stats_of({0, 2, 10, 12}, kTwoLabels);
  const auto fake = stats_of({1, 3, 2, 14}, {0, 0, 0, 1});
  const auto result = measured("fid4_by_label", {real, fake, /*label_count=*/3, 1});
  EXPECT_TRUE(std::isnan(result.by_label.at("fid4_labels").at(1)));
  EXPECT_TRUE(std::isnan(result.by_label.at("fid4_labels").at(2)));
  EXPECT_EQ(result.values.at("fid4_by_label"), result.by_label.at("fid4_labels").at(0));
  const auto neighbors = measured("pr4k1_by_label", {real, fake, 2, 1});
  EXPECT_FALSE(std::isnan(neighbors.by_label.at("pr4k1_recall_labels").at(0)));
  EXPECT_TRUE(std::isnan(neighbors.by_label.at("pr4k1_recall_labels").at(1)));
}

TEST(MeasureByLabel, WarnsOfFewImagesOnlyOfLabelsThatAreThereAndGenerated) {
  const auto real = stats_of({0, 2, 4, 6, 10, 12, 14, 16}, {0, 0, 0, 0, 1, 1, 1, 1});
  const auto fake = stats_of({1, 3, 5, 7, 9, 11, 13, 15}, {0, 0, 0, 0, 0, 0, 0, 0});
  const auto few = stats_of({1, 3, 5, 7, 9, 11, 13, 15}, {0, 0, 0, 0, 0, 0, 0, 1});
  for (const char* name : {"fid8_by_label", "pr8k3_by_label"}) {
    testing::internal::CaptureStderr();
    measured(name, {real, fake, /*label_count=*/3, 1});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    measured(name, {real, few, /*label_count=*/3, 1});
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("labels=1"));
  }
}

TEST(MeasureByLabel, IsSharedOutToTheRanks) {
  const auto real = stats_of({0, 2, 10, 12}, kTwoLabels);
  const auto fake = stats_of({1, 3, 14, 16}, kTwoLabels);
  for (const char* name : {"fid4_by_label", "pr4k1_by_label"}) {
    const auto expected = measured(name, {real, fake, 2, 1});
    comm::run_ranks(3, [&](comm::Group& group) {
      const auto result = measured(name, {real, fake, 2, 1}, group);
      EXPECT_EQ(result.by_label, expected.by_label);
      EXPECT_EQ(result.values, expected.values);
    });
  }
}

}  // namespace
}  // namespace ganscale::metrics
