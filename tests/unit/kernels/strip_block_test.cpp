#include "kernels/upfirdn2d/strip_block.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ganscale::kernels {
namespace {

/// Returns the share of a block's lanes that have an output, over all blocks of an image.
double share_of_lanes(unsigned width, unsigned vectors, unsigned most_columns) {
  const StripBlock block = strip_block_of(width, vectors, most_columns);
  return width * vectors / 32.0 / block.warps_of_strip(width, vectors);
}

TEST(StripBlock, UsesAllLanesIfTheWidthIsAPowerOfTwo) {
  for (const unsigned width : {4U, 16U, 32U, 64U, 256U}) {
    for (const unsigned vectors : {8U, 16U, 64U}) {
      EXPECT_EQ(share_of_lanes(width, vectors, 32), 1) << width << " columns, " << vectors;
    }
    EXPECT_EQ(share_of_lanes(width, 1, 128), 1) << width << " columns";
  }
}

// With blocks of 32 columns a width of 33 used half of them, and one of 257 89%.
TEST(StripBlock, UsesMostLanesIfTheWidthIsOneMore) {
  for (const unsigned vectors : {8U, 16U, 64U}) {
    for (const unsigned width : {5U, 9U, 17U, 33U, 65U, 129U}) {
      EXPECT_GT(share_of_lanes(width, vectors, 32), 0.82) << width << " columns, " << vectors;
    }
    EXPECT_GT(share_of_lanes(257, vectors, 32), 0.97) << vectors;
  }
}

TEST(StripBlock, FitsADeviceAndAnImage) {
  for (unsigned width = 1; width < 300; ++width) {
    for (const unsigned vectors : {1U, 3U, 8U, 100U}) {
      const StripBlock block = strip_block_of(width, vectors, 32);
      EXPECT_LE(block.vectors * block.columns * block.strips, StripBlock::kMostThreads);
      EXPECT_LE(block.strips, 64);
      EXPECT_LE(block.columns, width);
      EXPECT_GE(block.columns, std::min(width, 16U));
    }
  }
}

}  // namespace
}  // namespace ganscale::kernels
