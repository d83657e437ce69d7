#include "metrics/evaluate.h"

#include <ATen/ATen.h>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"
#include "unit/metrics/stats_of.h"

namespace ganscale::metrics {
namespace {

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
TEST(Measure, FrechetDistanceComparesMeansAndDeviations) {
  const auto real = stats_of({0, 2, 0, 2}, kLabels);  // mean 1, deviation 1
  const auto fake = stats_of({1, 7, 1, 7}, kLabels);  // mean 4, deviation 3
  EXPECT_NEAR(measured("fid4", real, fake).values.at("fid4"), 9 + 4, 1e-9);
}

TEST(Measure, InceptionScoreOfOneSureClassIsOne) {
  const auto fake = stats_of({1, 2, 3, 4}, kLabels);
  const auto result = measured("is4", fake, fake);
  EXPECT_NEAR(result.values.at("is4"), 1, 1e-9);
  EXPECT_NEAR(result.values.at("is4_std"), 0, 1e-9);
}

TEST(Measure, GivesEachMetricItsNames) {
  const auto real = stats_of({0, 2, 10, 12, 3, 5}, {0, 0, 1, 1, 0, 1});
  for (const char* name : {"fid6", "kid6", "pr6k3", "dc6k3", "fid6_by_label", "is6"}) {
    const auto result = measured(name, real, real);
    for (const auto& value : value_names(parse_metric(name))) {
      EXPECT_TRUE(result.values.contains(value)) << value;
    }
  }
  EXPECT_NEAR(measured("pr6k3", real, real).values.at("pr6k3_precision"), 1, 1e-12);
  EXPECT_NEAR(measured("dc6k3", real, real).values.at("dc6k3_coverage"), 1, 1e-12);
}

TEST(Needs, DependOnTheMetric) {
  EvaluateConfig config;
  config.splits = 5;
  const auto real = [](const char* name) { return needs_of_real(parse_metric(name)); };
  const auto fake = [&](const char* name) { return needs_of_fake(parse_metric(name), config); };
  EXPECT_EQ(real("fid"), (Needs{.moments = true}));
  EXPECT_EQ(fake("fid"), (Needs{.moments = true}));
  EXPECT_EQ(real("is"), Needs{});
  EXPECT_EQ(fake("is"), (Needs{.splits = 5}));
  for (const char* name : {"kid", "pr", "dc", "fid_by_label"}) {
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

TEST(RequireEnoughInLabels, CountsRealAndGeneratedImagesOfEachLabel) {
  const auto require = [](const char* name, LabelShares shares) {
    require_enough_in_labels(parse_metric(name), {60, 0, 20}, shares);
  };
  EXPECT_NO_THROW(require("pr16_by_label", LabelShares::kData)) << "12 and 4 generated images";
  EXPECT_NO_THROW(require("fid4_by_label", LabelShares::kData));
  EXPECT_NO_THROW(require("pr8k30", LabelShares::kData));
  expect_error(ExitCode::kConfig,
               "evaluate.metrics: pr1k20_by_label needs 21 real and as many generated images of "
               "each label; label 2 has 20 and about 250",
               [&] { require("pr1k20_by_label", LabelShares::kData); });
  expect_error(ExitCode::kConfig, "label 2 has 20 and about 2;",
               [&] { require("pr8_by_label", LabelShares::kData); });
  EXPECT_NO_THROW(require("pr8_by_label", LabelShares::kBalanced)) << "four of each label";
  expect_error(ExitCode::kConfig, "the dataset has no labels", [] {
    require_enough_in_labels(parse_metric("fid_by_label"), {}, LabelShares::kData);
  });
  expect_error(ExitCode::kConfig, "the dataset has no image of a label that is generated", [] {
    require_enough_in_labels(parse_metric("fid_by_label"), {0, 0}, LabelShares::kData);
  });
}

TEST(OfAverage, NamesTheHalfLifeBehindTheMetric) {
  const Measurements measured{.values = {{"fid5k", 3}, {"is5k_std", 0.5}},
                              .by_label = {{"fid5k_labels", {1, 2}}},
                              .label_shares = "data"};
  const Measurements named = of_average(measured, 0.5);
  EXPECT_EQ(named.values,
            (std::map<std::string, double>{{"fid5k_ema_0.5", 3}, {"is5k_std_ema_0.5", 0.5}}));
  EXPECT_TRUE(named.by_label.contains("fid5k_labels_ema_0.5"));
  EXPECT_EQ(named.label_shares, "data");
}

TEST(RequireMeasurable, NeedsLabelsForComparisonsWithinLabelsOnly) {
  EXPECT_NO_THROW(require_measurable(parse_metric("fid"), {}));
  EXPECT_NO_THROW(require_measurable(parse_metric("fid_by_label"), {.has_labels = true}));
  expect_error(ExitCode::kConfig, "comparing images within each label needs a model with labels",
               [] { require_measurable(parse_metric("pr_by_label"), {}); });
}

TEST(RequireMeasurable, NeedsStylesAndFloat32ForPathsBetweenStyles) {
  EXPECT_NO_THROW(require_measurable(parse_metric("ppl"), {.has_styles = true}));
  EXPECT_NO_THROW(require_measurable(parse_metric("ppl50k_zfull"), {}));
  expect_error(ExitCode::kConfig, "paths between styles need a generator with styles",
               [] { require_measurable(parse_metric("ppl50k_wend"), {}); });
  expect_error(ExitCode::kConfig, "low precision would be measured with its rounding", [] {
    require_measurable(parse_metric("ppl"), {.has_styles = true, .is_low_precision = true});
  });
}

TEST(RequireMeasurable, NeedsAMovableInputAndFloat32ForEquivariance) {
  EXPECT_NO_THROW(require_measurable(parse_metric("eqt_frac"), {.moves_images = true}));
  expect_error(ExitCode::kConfig, "a generator whose images move as a whole, stylegan3: eqr50k",
               [] { require_measurable(parse_metric("eqr50k"), {.has_styles = true}); });
  expect_error(ExitCode::kConfig, "low precision would be measured with its rounding", [] {
    require_measurable(parse_metric("eqt"), {.moves_images = true, .is_low_precision = true});
  });
}

}  // namespace
}  // namespace ganscale::metrics
