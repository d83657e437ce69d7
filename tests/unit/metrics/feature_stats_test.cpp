#include "metrics/feature_stats.h"

#include <ATen/ATen.h>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

constexpr std::int64_t kImages = 7;
constexpr std::int64_t kFeatures = 2;

OpenFeatureNet net(std::int64_t class_count = 3) {
  return {.net = nullptr, .feature_count = kFeatures, .class_count = class_count, .sha256 = ""};
}

/// Features and logits of images by their numbers.
Features features_of(const at::Tensor& numbers) {
  const auto x = numbers.to(at::kFloat);
  return {at::stack({x, x * x}, 1), at::stack({x, -x, x * 0}, 1)};
}

at::Tensor labels_of(const at::Tensor& numbers) { return numbers.remainder(3); }

/// Adds the images of one rank, two at a time, and merges.
FeatureStats gathered(comm::Group& group, const Needs& needs) {
  FeatureStats stats(needs, kImages, net());
  const auto own = at::arange(kImages).slice(0, group.rank(), kImages, group.size());
  for (const auto& numbers : own.split(2)) {
    stats.add(features_of(numbers), numbers, labels_of(numbers));
  }
  stats.merge(group);
  return stats;
}

constexpr Needs kAll{.moments = true, .features = true, .splits = 2};

TEST(FeatureStats, KeepsFeaturesInTheOrderOfTheImages) {
  for (const int ranks : {1, 2, 3}) {
    comm::run_ranks(ranks, [](comm::Group& group) {
      const auto stats = gathered(group, kAll);
      const auto numbers = at::arange(kImages);
      EXPECT_TRUE(at::equal(stats.features(), features_of(numbers).features));
      EXPECT_TRUE(at::equal(stats.labels(), labels_of(numbers)));
      EXPECT_EQ(stats.image_count(), kImages);
    });
  }
}

TEST(FeatureStats, HasTheSameMomentsAndScoreOnAnyNumberOfRanks) {
  const auto expected = gathered(*comm::make_single_group(), kAll);
  for (const int ranks : {2, 3}) {
    comm::run_ranks(ranks, [&](comm::Group& group) {
      const auto stats = gathered(group, kAll);
      EXPECT_EQ(stats.moments().count(), kImages);
      EXPECT_TRUE(at::allclose(stats.moments().mean(), expected.moments().mean()));
      EXPECT_TRUE(at::allclose(stats.moments().deviations(), expected.moments().deviations()));
      EXPECT_NEAR(stats.inception_score().score().mean, expected.inception_score().score().mean,
                  1e-12);
    });
  }
}

TEST(FeatureStats, GivesARankWithoutImagesTheStatsOfTheOthers) {
  comm::run_ranks(9, [](comm::Group& group) {
    const auto stats = gathered(group, {.moments = true, .features = true});
    EXPECT_EQ(stats.features().size(0), kImages);
    EXPECT_EQ(stats.moments().count(), kImages);
  });
}

TEST(FeatureStats, OfImagesWithoutLabelsSaysSo) {
  FeatureStats stats({.features = true}, 2, net());
  const auto numbers = at::arange(2);
  stats.add(features_of(numbers), numbers, {});
  stats.merge(*comm::make_single_group());
  EXPECT_TRUE(stats.labels().eq(-1).all().item<bool>());
}

TEST(FeatureStats, IsRestoredFromItsState) {
  const auto first = gathered(*comm::make_single_group(), kAll);
  const FeatureStats second(first.state(), kImages);
  EXPECT_TRUE(at::equal(second.features(), first.features()));
  EXPECT_TRUE(at::equal(second.labels(), first.labels()));
  EXPECT_EQ(second.moments().count(), kImages);
  EXPECT_TRUE(at::equal(second.moments().mean(), first.moments().mean()));
  EXPECT_TRUE(at::equal(second.moments().deviations(), first.moments().deviations()));
}

TEST(FeatureStats, KeepsOnlyWhatIsNeeded) {
  const auto alone = comm::make_single_group();
  const auto moments = gathered(*alone, {.moments = true});
  EXPECT_FALSE(moments.features().defined());
  EXPECT_EQ(moments.state().size(), 2);
  const auto features = gathered(*alone, {.features = true});
  EXPECT_EQ(features.state().size(), 2);
  EXPECT_TRUE(features.state().contains("labels"));
  EXPECT_TRUE(gathered(*alone, {}).state().empty());
}

TEST(FeatureStats, RefusesAScoreThatCannotBe) {
  expect_error(ExitCode::kConfig, "needs a feature network that returns logits",
               [] { FeatureStats({.splits = 2}, kImages, net(/*class_count=*/0)); });
  expect_error(ExitCode::kConfig,
               "too few images for the inception score: 7 in 8 splits; generate more, or lower "
               "evaluate.splits",
               [] { FeatureStats({.splits = 8}, kImages, net()); });
}

}  // namespace
}  // namespace ganscale::metrics
