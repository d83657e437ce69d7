#include "metrics/evaluate.h"

#include <ATen/ATen.h>

#include <cmath>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

/// Statistics of features on one axis and their labels; logits that are sure of class 0.
FeatureStats stats_of(const std::vector<float>& features, const std::vector<std::int64_t>& labels) {
  const auto count = static_cast<std::int64_t>(features.size());
  const OpenFeatureNet net{.net = nullptr, .feature_count = 1, .class_count = 2, .sha256 = ""};
  FeatureStats stats({.moments = true, .features = true, .splits = 1}, count, net);
  const auto logits = at::tensor({50.0F, 0.0F}).expand({count, 2});
  stats.add({at::tensor(features).unsqueeze(1), logits}, at::arange(count),
            at::tensor(labels, at::kLong));
  stats.merge(*comm::make_single_group());
  return stats;
}

Measurements measured(const std::string& metric, const FeatureStats& real, const FeatureStats& fake,
                      std::int64_t label_count = 2) {
  Measurements result;
  EvaluateConfig config;
  config.divisor = Divisor::kCount;
  const auto alone = comm::make_single_group();
  measure(parse_metric(metric), {real, fake, label_count, /*seed=*/1}, config, *alone, result);
  return result;
}

const std::vector<std::int64_t> kLabels = {0, 0, 1, 1};

// One feature: (m1 - m2)^2 + (s1 - s2)^2, of the population.
TEST(Measure, FrechetDistanceIsThatOfMeansAndDeviations) {
  const auto real = stats_of({0, 2, 0, 2}, kLabels);  // mean 1, deviation 1
  const auto fake = stats_of({1, 7, 1, 7}, kLabels);  // mean 4, deviation 3
  EXPECT_NEAR(measured("fid4", real, fake).values.at("fid4"), 9 + 4, 1e-9);
}

TEST(Measure, PerClassDistanceIsTheMeanOverLabels) {
  const auto real = stats_of({0, 2, 10, 12}, kLabels);
  const auto fake = stats_of({1, 3, 14, 16}, kLabels);  // each of the same spread, moved by 1 and 4
  const auto result = measured("class_fid4", real, fake);
  const auto& labels = result.by_label.at("class_fid4_labels");
  EXPECT_NEAR(labels.at(0), 1, 1e-9);
  EXPECT_NEAR(labels.at(1), 16, 1e-9);
  EXPECT_NEAR(result.values.at("class_fid4"), 8.5, 1e-9);
}

TEST(Measure, PerClassDistanceLeavesOutALabelOfOneImage) {
  const auto real = stats_of({0, 2, 10, 12}, kLabels);
  const auto fake = stats_of({1, 3, 2, 14}, {0, 0, 0, 1});
  const auto result = measured("class_fid4", real, fake, /*label_count=*/3);
  EXPECT_TRUE(std::isnan(result.by_label.at("class_fid4_labels").at(1)));
  EXPECT_TRUE(std::isnan(result.by_label.at("class_fid4_labels").at(2)));
  EXPECT_EQ(result.values.at("class_fid4"), result.by_label.at("class_fid4_labels").at(0));
}

TEST(Measure, PerClassDistanceIsSharedOutToTheRanks) {
  const auto real = stats_of({0, 2, 10, 12}, kLabels);
  const auto fake = stats_of({1, 3, 14, 16}, kLabels);
  const auto expected = measured("class_fid4", real, fake);
  comm::run_ranks(3, [&](comm::Group& group) {
    Measurements result;
    EvaluateConfig config;
    config.divisor = Divisor::kCount;
    measure(parse_metric("class_fid4"), {real, fake, 2, 1}, config, group, result);
    EXPECT_EQ(result.by_label, expected.by_label);
  });
}

TEST(Measure, InceptionScoreOfOneSureClassIsOne) {
  const auto fake = stats_of({1, 2, 3, 4}, kLabels);
  const auto result = measured("is4", fake, fake);
  EXPECT_NEAR(result.values.at("is4"), 1, 1e-9);
  EXPECT_NEAR(result.values.at("is4_std"), 0, 1e-9);
}

TEST(Measure, GivesEachMetricItsNames) {
  const auto real = stats_of({0, 2, 10, 12, 3, 5}, {0, 0, 1, 1, 0, 1});
  for (const char* name : {"fid6", "kid6", "pr6k3", "dc6k3", "class_fid6", "is6"}) {
    const auto result = measured(name, real, real);
    for (const auto& value : value_names(parse_metric(name))) {
      EXPECT_TRUE(result.values.contains(value)) << value;
    }
  }
  EXPECT_NEAR(measured("pr6k3", real, real).values.at("pr6k3_precision"), 1, 1e-12);
  EXPECT_NEAR(measured("dc6k3", real, real).values.at("dc6k3_coverage"), 1, 1e-12);
}

TEST(Needs, AreThoseOfTheMetric) {
  EvaluateConfig config;
  config.splits = 5;
  const auto real = [](const char* name) { return needs_of_real(parse_metric(name)); };
  const auto fake = [&](const char* name) { return needs_of_fake(parse_metric(name), config); };
  EXPECT_EQ(real("fid"), (Needs{.moments = true}));
  EXPECT_EQ(fake("fid"), (Needs{.moments = true}));
  EXPECT_EQ(real("is"), Needs{});
  EXPECT_EQ(fake("is"), (Needs{.splits = 5}));
  for (const char* name : {"kid", "pr", "dc", "class_fid"}) {
    EXPECT_EQ(real(name), (Needs{.features = true})) << name;
    EXPECT_EQ(fake(name), (Needs{.features = true})) << name;
  }
  EXPECT_EQ(both(real("fid"), fake("is")), (Needs{.moments = true, .splits = 5}));
}

TEST(RequireEnough, CountsRealAndGeneratedImages) {
  EXPECT_NO_THROW(require_enough(parse_metric("pr4k3"), 4));
  expect_error(ExitCode::kConfig,
               "pr4k3 needs 4 real and as many generated images; there are 3 real",
               [] { require_enough(parse_metric("pr4k3"), 3); });
  expect_error(ExitCode::kConfig, "there are 100 real and 3 generated images",
               [] { require_enough(parse_metric("pr3"), 100); });
  for (const char* name : {"is2", "ppl2"}) {
    EXPECT_NO_THROW(require_enough(parse_metric(name), 0)) << name << " needs no reals";
  }
}

TEST(RequireMeasurable, NeedsLabelsForDistancesPerClassOnly) {
  EXPECT_NO_THROW(require_measurable(parse_metric("fid"), {}));
  EXPECT_NO_THROW(require_measurable(parse_metric("class_fid"), {.has_labels = true}));
  expect_error(ExitCode::kConfig, "distances of each label need a model with labels",
               [] { require_measurable(parse_metric("class_fid"), {}); });
}

TEST(RequireMeasurable, NeedsStylesAndFloat32ForPathsBetweenStyles) {
  EXPECT_NO_THROW(require_measurable(parse_metric("ppl"), {.has_styles = true}));
  EXPECT_NO_THROW(require_measurable(parse_metric("ppl_zfull"), {}));
  expect_error(ExitCode::kConfig, "paths between styles need a generator with styles",
               [] { require_measurable(parse_metric("ppl_wend"), {}); });
  expect_error(ExitCode::kConfig, "low precision are those of its rounding", [] {
    require_measurable(parse_metric("ppl"), {.has_styles = true, .is_low_precision = true});
  });
}

}  // namespace
}  // namespace ganscale::metrics
