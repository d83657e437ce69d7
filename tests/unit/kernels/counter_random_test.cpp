#include "kernels/counter_random/counter_random.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ganscale::kernels {
namespace {

constexpr std::uint64_t kSeed = 1234;

ImageRandom all_images() { return {kSeed, 96, 1}; }

TEST(RandomNormal, OfAllRanksInterleavesToTheNumbersOfOneRank) {
  const auto whole = random_normal(all_images(), Stream::kGeneratorNoise, 5, {8, 3, 7}, at::kFloat);
  for (const int world_size : {2, 4}) {
    for (int rank = 0; rank < world_size; ++rank) {
      const auto images = image_random(SeedMode::kImage, kSeed, rank, world_size, 96);
      const auto part =
          random_normal(images, Stream::kGeneratorNoise, 5, {8 / world_size, 3, 7}, at::kFloat);
      EXPECT_TRUE(part.equal(whole.slice(0, rank, 8, world_size)));
    }
  }
}

TEST(RandomNormal, ReadsTheFirstImagesNumberFromMemoryAtEachDraw) {
  std::int64_t first = 0;
  const ImageRandom images{.seed = kSeed, .image_stride = 2, .first_image_in_memory = &first};
  for (first = 96; first < 98; ++first) {
    const ImageRandom told{kSeed, first, 2};
    const auto expected = random_normal(told, Stream::kSamples, 0, {3, 500}, at::kFloat);
    EXPECT_TRUE(random_normal(images, Stream::kSamples, 0, {3, 500}, at::kFloat).equal(expected));
  }
}

TEST(RandomNormal, DoesNotDependOnTheNumberOfThreads) {
  const std::vector<std::int64_t> shape = {33, 1001};
  const auto parallel = random_normal(all_images(), Stream::kSamples, 0, shape, at::kFloat);
  for (std::int64_t row = 0; row < 33; ++row) {
    const ImageRandom image{kSeed, 96 + row, 1};
    const auto alone = random_normal(image, Stream::kSamples, 0, {1, 1001}, at::kFloat);
    EXPECT_TRUE(alone[0].equal(parallel[row]));
  }
}

TEST(RandomNormal, HasTheMomentsOfTheNormalDistribution) {
  const auto x = random_normal(all_images(), Stream::kSamples, 0, {100, 10000}, at::kDouble);
  const double n = 1e6;  // each bound is five standard errors
  EXPECT_NEAR(x.mean().item<double>(), 0, 5 / std::sqrt(n));
  EXPECT_NEAR(x.square().mean().item<double>(), 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(x.pow(3).mean().item<double>(), 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(x.pow(4).mean().item<double>(), 3, 5 * std::sqrt(96 / n));
  const double within_one_sigma = x.abs().lt(1).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(within_one_sigma, std::erf(1 / std::sqrt(2.0)), 5 * std::sqrt(0.22 / n));
}

TEST(RandomNormal, PairsOfOneBlockAreUncorrelated) {
  const auto x = random_normal(all_images(), Stream::kSamples, 0, {1000, 250, 4}, at::kDouble);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      const double product = (x.select(2, i) * x.select(2, j)).mean().item<double>();
      EXPECT_NEAR(product, 0, 5 / std::sqrt(250000.0)) << i << " " << j;
    }
  }
}

// Philox of counter 0 and key 0 is published: 6627e8d5 e169c58d bc57ac4c 9b00dbd8. Seed 0, image 0,
// site 0, block 0 and a stream of number 0 is that block.
TEST(RandomUniform, IsTheWordOverTwoToThe32) {
  const auto x = random_uniform({0, 0, 1}, Stream{0}, 0, {1, 4}, at::kDouble);
  const std::array<std::uint32_t, 4> words = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(x[0][i].item<double>(), std::ldexp(words[i], -32));
  }
}

// Rows of 70 elements end within a block and within a group of blocks.
TEST(RandomUniform, TakesItsWordsFromTheBlocksOfItsImage) {
  const ImageRandom images{kSeed << 40, std::int64_t{1} << 33, 3};
  const auto x = random_uniform(images, Stream::kAugment, 9, {3, 70}, at::kDouble);
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 70; ++i) {
      const auto image = (std::uint64_t{1} << 33) + 3U * row;
      const auto block = random_block(kSeed << 40, Stream::kAugment, image, 9, i / 4);
      EXPECT_EQ(x[row][i].item<double>(), std::ldexp(block[i % 4], -32)) << row << " " << i;
    }
  }
}

TEST(RandomNormal, IsBoxMullerOfTheWords) {
  const auto x = random_normal({0, 0, 1}, Stream{0}, 0, {1, 2}, at::kDouble);
  const double radius = std::sqrt(-2 * std::log((0x6627e8d5 + 0.5) / 4294967296.0));
  const double angle = 2 * M_PI * (0xe169c58d / 4294967296.0);
  EXPECT_NEAR(x[0][0].item<double>(), radius * std::cos(angle), 1e-14);
  EXPECT_NEAR(x[0][1].item<double>(), radius * std::sin(angle), 1e-14);
}

TEST(RandomUniform, IsTheSameInFloatAndDoubleUpToRounding) {
  const auto wide = random_uniform(all_images(), Stream::kSamples, 0, {10, 1000}, at::kDouble);
  const auto narrow = random_uniform(all_images(), Stream::kSamples, 0, {10, 1000}, at::kFloat);
  EXPECT_LT((wide - narrow).abs().max().item<double>(), std::ldexp(1.0, -24));
  EXPECT_LT(narrow.max().item<float>(), 1.0F);
}

// 16 cells of a million draws: the statistic has 15 degrees of freedom, 1e-6 of it lies above 56.
TEST(RandomUniform, FillsItsCellsEvenly) {
  const auto x = random_uniform(all_images(), Stream::kAugment, 2, {1000, 1000}, at::kDouble);
  const auto counts = at::bincount((x * 16).to(at::kLong).flatten(), {}, 16).to(at::kDouble);
  const double expected = 1e6 / 16;
  EXPECT_LT(((counts - expected).square() / expected).sum().item<double>(), 56);
}

TEST(RandomLabels, AreEvenAndInRange) {
  const auto labels = random_labels(all_images(), Stream::kGeneratorLatent, 1, 9, 90000);
  EXPECT_EQ(labels.scalar_type(), at::kLong);
  const auto counts = at::bincount(labels, {}, 9).to(at::kDouble);
  ASSERT_EQ(counts.size(0), 9);  // 8 degrees of freedom: 1e-6 lies above 43
  EXPECT_LT(((counts - 10000).square() / 10000).sum().item<double>(), 43);
}

TEST(RandomLabels, OfAllRanksInterleaveToTheLabelsOfOneRank) {
  const auto whole = random_labels(all_images(), Stream::kGeneratorLatent, 1, 10, 64);
  for (int rank = 0; rank < 4; ++rank) {
    const auto images = image_random(SeedMode::kImage, kSeed, rank, 4, 96);
    const auto part = random_labels(images, Stream::kGeneratorLatent, 1, 10, 16);
    EXPECT_TRUE(part.equal(whole.slice(0, rank, 64, 4)));
  }
}

TEST(RandomStream, GiveEachLayerItsOwnNumbers) {
  RandomStream random(all_images(), Stream::kGeneratorNoise);
  const auto first = random.normal({2, 8}, at::kFloat);
  const auto second = random.normal({2, 8}, at::kFloat);
  EXPECT_FALSE(first.equal(second));
  RandomStream again(all_images(), Stream::kGeneratorNoise);
  EXPECT_TRUE(again.normal({2, 8}, at::kFloat).equal(first));
}

TEST(RandomStream, DropoutMaskDropsItsShareAndKeepsTheMean) {
  RandomStream random(all_images(), Stream::kDiscriminatorNoise);
  const auto mask = random.dropout_mask(0.25, {100, 10000}, at::kFloat);
  const auto kept = mask.eq(static_cast<float>(1 / 0.75));
  EXPECT_TRUE(kept.logical_or(mask.eq(0)).all().item<bool>());
  EXPECT_NEAR(kept.to(at::kDouble).mean().item<double>(), 0.75, 5 * std::sqrt(0.1875 / 1e6));
}

TEST(RandomStream, WithoutDropoutTheMaskIsOne) {
  RandomStream random(all_images(), Stream::kDiscriminatorNoise);
  EXPECT_TRUE(random.dropout_mask(0, {3, 5}, at::kFloat).eq(1).all().item<bool>());
}

TEST(RandomStream, RoundsLowPrecisionFromFloat32) {
  RandomStream wide(all_images(), Stream::kGeneratorNoise);
  RandomStream narrow(all_images(), Stream::kGeneratorNoise);
  const auto expected = wide.normal({4, 6}, at::kFloat).to(at::kBFloat16);
  EXPECT_TRUE(narrow.normal({4, 6}, at::kBFloat16).equal(expected));
}

TEST(RandomStream, OfAnEmptyBatchIsEmpty) {
  RandomStream random(all_images(), Stream::kGeneratorNoise);
  EXPECT_EQ(random.normal({0, 6}, at::kFloat).numel(), 0);
}

}  // namespace
}  // namespace ganscale::kernels
