#include "base/random.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(ImageRandom, OfAllRanksTogetherEqualsOneRank) {
  for (int local = 0; local < 4; ++local) {
    for (int rank = 0; rank < 2; ++rank) {
      const auto part = image_random(SeedMode::kImage, 7, rank, 2, 800);
      EXPECT_EQ(part.first_image + local * part.image_stride, 800 + local * 2 + rank);
      EXPECT_EQ(part.seed, 7U);
    }
  }
}

TEST(ImageRandom, InRankModeAddsTheRankToTheSeed) {
  const auto third = image_random(SeedMode::kRank, 1000, 3, 4, 800);
  EXPECT_EQ(third.seed, 1003U);
  EXPECT_EQ(third.first_image, 200);
  EXPECT_EQ(third.image_stride, 1);
}

TEST(RandomBlock, DiffersByEveryPartOfItsKey) {
  const auto base = random_block(1, Stream::kShuffle, 2, 3, 4);
  EXPECT_NE(base, random_block(2, Stream::kShuffle, 2, 3, 4));
  EXPECT_NE(base, random_block(1, Stream::kMirror, 2, 3, 4));
  EXPECT_NE(base, random_block(1, Stream::kShuffle, 3, 3, 4));
  EXPECT_NE(base, random_block(1, Stream::kShuffle, 2, 4, 4));
  EXPECT_NE(base, random_block(1, Stream::kShuffle, 2, 3, 5));
  EXPECT_EQ(base, random_block(1, Stream::kShuffle, 2, 3, 4));
}

}  // namespace
}  // namespace ganscale
