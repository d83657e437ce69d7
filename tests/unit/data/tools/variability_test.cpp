#include "data/tools/variability.h"

#include <ATen/ops/equal.h>

#include <array>
#include <cmath>

#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

const auto kNoProgress = [](std::int64_t) {};

/// Gray images of one row whose pixels are given, one class after the other.
class RowSource : public Source {
 public:
  explicit RowSource(std::vector<std::vector<std::uint8_t>> rows) : rows_(std::move(rows)) {}

  std::int64_t record_count() const override { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t label_count() const override { return record_count() + 1; }
  std::int64_t label(std::int64_t index) const override { return index; }
  std::string describe(std::int64_t index) const override { return std::to_string(index); }
  void read(std::int64_t index, Record& record) const override {
    record.buffer = rows_[static_cast<std::size_t>(index)];
    record.bytes = record.buffer;
    record.channels = 1;
    record.height = 1;
    record.width = static_cast<int>(record.buffer.size());
  }

 private:
  std::vector<std::vector<std::uint8_t>> rows_;
};

// scipy.stats.f_oneway of SciPy 1.17: F = 7.532299741602067, p = 0.005435866388351104. The fourth
// label has no images.
TEST(Variability, MatchesScipy) {
  const RowSource source(
      {{0, 10, 20, 30, 40, 50}, {15, 25, 35, 45}, {100, 90, 80, 70, 60, 50, 40, 30}});
  const auto result = variability(class_sums(source, {}, kNoProgress));
  EXPECT_EQ(result.images_of_label, (std::vector<std::int64_t>{1, 1, 1, 0}));
  ASSERT_EQ(result.channels.size(), 1);
  const auto& channel = result.channels.front();
  EXPECT_NEAR(channel.f, 7.532299741602067, 1e-12);
  EXPECT_EQ(channel.between_degrees, 2);
  EXPECT_EQ(channel.within_degrees, 15);
  EXPECT_NEAR(std::pow(10, channel.log10_p), 0.005435866388351104, 1e-14);
  // Of SSB / SST, from F: 2 F / (2 F + 15).
  EXPECT_NEAR(channel.eta_squared, 2 * 7.532299741602067 / (2 * 7.532299741602067 + 15), 1e-12);
}

// Means 0 and 4 of two pixels each, no variance within: all of it lies between.
TEST(Variability, IsInfiniteForClassesWithoutVarianceWithin) {
  const RowSource source({{0, 0}, {4, 4}});
  const auto channel = variability(class_sums(source, {}, kNoProgress)).channels.front();
  EXPECT_TRUE(std::isinf(channel.f));
  EXPECT_EQ(channel.eta_squared, 1);
}

TEST(Variability, IsZeroIfAllPixelsAreAlike) {
  const std::vector<std::uint8_t> three(3, 251);
  const std::vector<std::uint8_t> seven(7, 251);
  const auto channel =
      variability(class_sums(RowSource({three, seven}), {}, kNoProgress)).channels.front();
  EXPECT_TRUE(channel.is_constant);
  EXPECT_EQ(channel.f, 0);
  EXPECT_EQ(channel.log10_p, 0);
  EXPECT_EQ(channel.eta_squared, 0);
  auto other = seven;
  other.back() = 250;
  EXPECT_FALSE(variability(class_sums(RowSource({three, other}), {}, kNoProgress))
                   .channels.front()
                   .is_constant);
}

// F of scipy.stats.f_oneway of SciPy 1.17 on the pixels that Pillow 13 decodes, whose p is 0 there;
// log10 p of the series of the incomplete beta function with 50 digits. Significant beyond all
// measure, and yet in the first channel the class explains less than 1% of the variance.
TEST(Variability, OfCifar10MatchesScipy) {
  const auto file = shared_file("data/cifar10-jpeg/test.tar");
  if (!file) GTEST_SKIP() << "no data/cifar10-jpeg/test.tar in GANSCALE_SHARED";
  const auto source = open_source(file->string(), 32);
  const auto result = variability(class_sums(*source, {.threads = 2}, kNoProgress));
  constexpr std::array kF = {7313.000803468612, 27099.666688037407, 102129.3495338706};
  constexpr std::array kLog10P = {-14231.5116653693682, -52323.9783542896757, -191119.721576411648};
  ASSERT_EQ(result.channels.size(), 3);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(result.channels[c].f, kF[c], 1e-6 * kF[c]);
    EXPECT_NEAR(result.channels[c].log10_p, kLog10P[c], -1e-6 * kLog10P[c]);
    const double explained = 9 * kF[c];  // in units of the variance within
    const double eta_squared = explained / (explained + 10000 * 32 * 32 - 10);
    EXPECT_NEAR(result.channels[c].eta_squared, eta_squared, 1e-6 * eta_squared);
  }
  EXPECT_EQ(effect_size(result.channels[0].eta_squared), EffectSize::kNegligible);
  EXPECT_EQ(effect_size(result.channels[2].eta_squared), EffectSize::kMedium);
}

// Cohen's limits.
TEST(EffectSize, IsNegligibleSmallMediumOrLarge) {
  EXPECT_EQ(effect_size(0), EffectSize::kNegligible);
  EXPECT_EQ(effect_size(0.0099), EffectSize::kNegligible);
  EXPECT_EQ(effect_size(0.01), EffectSize::kSmall);
  EXPECT_EQ(effect_size(0.0599), EffectSize::kSmall);
  EXPECT_EQ(effect_size(0.06), EffectSize::kMedium);
  EXPECT_EQ(effect_size(0.14), EffectSize::kLarge);
  EXPECT_EQ(effect_size(1), EffectSize::kLarge);
}

TEST(Variability, OfAllRanksIsTheSumOfTheirParts) {
  const FakeSource source(1000, 7);
  const auto whole = class_sums(source, {.threads = 3}, kNoProgress);
  auto parts = class_sums(source, {0, 3, 1}, kNoProgress);
  parts.add_(class_sums(source, {1, 3, 1}, kNoProgress));
  parts.add_(class_sums(source, {2, 3, 1}, kNoProgress));
  EXPECT_TRUE(at::equal(parts, whole));
}

TEST(Variability, NeedsLabelsAndTwoClasses) {
  expect_error(ExitCode::kData, "the dataset has no labels",
               [] { class_sums(FakeSource(10), {}, kNoProgress); });
  expect_error(ExitCode::kData, "only 1 has images",
               [] { variability(class_sums(RowSource({{1, 2, 3}}), {}, kNoProgress)); });
}

TEST(Variability, NamesADamagedRecord) {
  FakeSource source(10, 2);
  source.unreadable = {4};
  expect_error(ExitCode::kData, "fake, record 4", [&] { class_sums(source, {}, kNoProgress); });
}

}  // namespace
}  // namespace ganscale::data
