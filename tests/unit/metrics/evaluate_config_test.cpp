#include "metrics/evaluate_config.h"

#include <algorithm>
#include <regex>

#include "config/schema.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

EvaluateConfig parse(const std::string& yaml) {
  return parse_evaluate(config::Section(config::parse_yaml(yaml, "test.yaml")));
}

bool is_metric(const std::string& name) {
  try {
    parse_metric(name);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

// The operator refuses other names by it.
TEST(ParseMetric, ReadsNothingThatThePatternOfTheSchemaDoesNotMatch) {
  const auto entries = config::all_entries([](config::Section root) { parse_evaluate(root); });
  const auto metrics = std::ranges::find(entries, "metrics", &config::Entry::path);
  const std::regex pattern(metrics->limits.pattern);
  for (const std::string kind : {"fid", "is", "kid", "pr", "dc", "ppl", "eqt", "eqr", "FID"}) {
    for (const std::string count : {"", "500", "50k", "50k3", "999999999k999"}) {
      for (const std::string suffix : {"", "_full", "_int", "_frac", "_wend", "_zfull_crop",
                                       "_by_label", "_full_by_label", "_half"}) {
        const std::string name = kind + count + suffix;
        EXPECT_TRUE(!is_metric(name) || std::regex_search(name, pattern)) << name;
      }
    }
  }
  EXPECT_FALSE(std::regex_search(std::string("FID50k"), pattern));
}

TEST(ParseMetric, ReadsKindNumberOfImagesAndNeighbors) {
  const auto fid = parse_metric("fid50k");
  EXPECT_EQ(fid.metric, Metric::kFrechet);
  EXPECT_EQ(fid.image_count, 50'000);
  const auto recall = parse_metric("pr2k7");
  EXPECT_EQ(recall.metric, Metric::kPrecisionRecall);
  EXPECT_EQ(recall.image_count, 2000);
  EXPECT_EQ(recall.neighbors, 7);
  EXPECT_EQ(parse_metric("dc500").neighbors, 5);
  EXPECT_EQ(parse_metric("dc500").image_count, 500);
  EXPECT_FALSE(parse_metric("dc500").is_by_label);
  EXPECT_EQ(parse_metric("is").image_count, 50'000);
}

TEST(ParseMetric, ComparesWith50000RealsOrWithAll) {
  const auto some = parse_metric("fid50k");
  EXPECT_EQ(some.real_count(70'000), 50'000);
  EXPECT_EQ(some.real_count(300), 300);
  for (const char* name : {"fid50k_full", "fid_full_by_label", "kid1k_full", "pr50k3_full"}) {
    EXPECT_EQ(parse_metric(name).real_count(70'000), 70'000) << name;
  }
  EXPECT_EQ(parse_metric("pr50k7_full").neighbors, 7);
}

TEST(ParseMetric, ComparesWithinLabels) {
  const auto recall = parse_metric("pr2k7_by_label");
  EXPECT_TRUE(recall.is_by_label);
  EXPECT_EQ(recall.image_count, 2000);
  EXPECT_EQ(recall.neighbors, 7);
  for (const char* name : {"fid_by_label", "dc_by_label", "fid50k_full_by_label"}) {
    EXPECT_TRUE(parse_metric(name).is_by_label) << name;
  }
}

TEST(ParseMetric, ReadsThePathsOfPathLengths) {
  const auto plain = parse_metric("ppl50k");
  EXPECT_EQ(plain.metric, Metric::kPathLength);
  EXPECT_FALSE(plain.path.is_between_latents || plain.path.is_anywhere || plain.path.crops);
  const auto ends = parse_metric("ppl50k_wend").path;
  EXPECT_FALSE(ends.is_between_latents || ends.is_anywhere || ends.crops);
  const auto full = parse_metric("ppl_zfull_crop");
  EXPECT_EQ(full.image_count, 50'000);
  EXPECT_TRUE(full.path.is_between_latents && full.path.is_anywhere && full.path.crops);
  EXPECT_TRUE(parse_metric("ppl2k_wfull").path.is_anywhere);
}

TEST(ParseMetric, LeadsFromNvidiasPathLengthsToOurs) {
  for (const auto& [name, ours] : {std::pair("ppl2_wend", "ppl50k_wend"),
                                   {"ppl_wend", "ppl50k_wend_crop"},
                                   {"ppl_zfull", "ppl50k_zfull_crop"}}) {
    expect_error(ExitCode::kConfig, std::string("NVIDIA's ") + name + " is " + ours + " here",
                 [text = std::string(name)] { parse_metric(text); });
    EXPECT_TRUE(is_metric(ours));
  }
}

TEST(ParseMetric, ReadsTheMotionsOfEquivariance) {
  const auto whole = parse_metric("eqt50k_int");
  EXPECT_EQ(whole.metric, Metric::kTranslation);
  EXPECT_EQ(whole.image_count, 50'000);
  EXPECT_FALSE(whole.translates_by_fractions);
  EXPECT_FALSE(parse_metric("eqt").translates_by_fractions);
  EXPECT_TRUE(parse_metric("eqt200_frac").translates_by_fractions);
  EXPECT_EQ(parse_metric("eqr1k").metric, Metric::kRotation);
}

TEST(ParseMetric, RefusesUnknownMetrics) {
  for (const char* name : {"",
                           "fid50k3",
                           "sharpness",
                           "fid1",
                           "50k",
                           "pr50k0",
                           "fid-5",
                           "fid50m",
                           "is50k_full",
                           "class_fid50k",
                           "is50k_by_label",
                           "kid_by_label",
                           "ppl50k_wend_by_label",
                           "fid50k_all",
                           "fid50k_wend",
                           "ppl50k_full",
                           "ppl50k_xend",
                           "ppl50k_crop",
                           "ppl50k3",
                           "eqr50k_int",
                           "eqt50k_full",
                           "eqt50k_wend",
                           "eqr50k_by_label",
                           "fid50k_frac"}) {
    expect_error(ExitCode::kConfig, std::string("with _full for all real images: ") + name,
                 [&] { parse_metric(name); });
  }
  expect_error(ExitCode::kConfig, "with any number of images from 2 on",
               [] { parse_metric("fid1"); });
}

TEST(ParseEvaluate, HasDefaultsAndReadsEveryKey) {
  const auto c = parse("{}");
  EXPECT_TRUE(c.metrics.empty());
  EXPECT_EQ(c.divisor, Divisor::kCountMinusOne);
  EXPECT_FALSE(c.cache.empty());
  const auto full = parse(
      "{metrics: [fid10k, is10k], every_kimg: 5, feature_net: a.pt, feature_net_sha256: 00, "
      "feature_net_resolution: 299, feature_net_range: signed, perceptual_net: v.pt, "
      "perceptual_net_sha256: 01, covariance: n, labels: balanced, splits: 2, batch: 8, "
      "cache: /tmp/cache}");
  ASSERT_EQ(full.metrics.size(), 2);
  EXPECT_EQ(full.metrics[1].text, "is10k");
  EXPECT_EQ(full.every_kimg, 5);
  EXPECT_EQ(full.feature_net.file, "a.pt");
  EXPECT_EQ(full.feature_net.resolution, 299);
  EXPECT_TRUE(full.feature_net.signed_range);
  EXPECT_EQ(full.perceptual_net.file, "v.pt");
  EXPECT_EQ(full.perceptual_net.sha256, "01");
  EXPECT_EQ(full.divisor, Divisor::kCount);
  EXPECT_EQ(c.labels, LabelShares::kData);
  EXPECT_EQ(full.labels, LabelShares::kBalanced);
  EXPECT_EQ(full.splits, 2);
  EXPECT_EQ(full.batch, 8);
  EXPECT_EQ(full.cache, "/tmp/cache");
}

TEST(ParseEvaluate, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "evaluate.splits: must be positive", [] {
    parse_evaluate(
        config::Section(config::parse_yaml("evaluate: {splits: 0}", "t")).section("evaluate"));
  });
  expect_error(ExitCode::kConfig, "t:2: evaluate.metrics: unknown metric; known are fid50k", [] {
    const auto root = config::parse_yaml("evaluate:\n  metrics: [fid50k, FID10k]", "t");
    parse_evaluate(config::Section(root).section("evaluate"));
  });
  expect_error(ExitCode::kConfig, "batch: must be positive", [] { parse("{batch: 0}"); });
  expect_error(ExitCode::kConfig, "every_kimg: must not be negative",
               [] { parse("{every_kimg: -1}"); });
}

}  // namespace
}  // namespace ganscale::metrics
