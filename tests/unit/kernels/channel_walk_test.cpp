#include "kernels/launch/channel_walk.h"

#include <gtest/gtest.h>

namespace ganscale::kernels {
namespace {

TEST(ChannelWalk, HasWholeVectorsOfPixelsInARow) {
  EXPECT_EQ(walk_over_pixels(1, 64, 512, 8).row_elements, 512);
  EXPECT_EQ(walk_over_pixels(1, 64, 3, 8).row_elements, 8 * 3);
  EXPECT_EQ(walk_over_pixels(1, 64, 12, 8).row_elements, 2 * 12);
}

TEST(ChannelWalk, SharesARowAmongBlocksThatAreFull) {
  const auto walk = walk_over_pixels(1, 16, 513, 1);
  EXPECT_EQ(walk.blocks_x, 3);
  EXPECT_EQ(walk.threads_x, 171);
  EXPECT_EQ(walk.threads_y, 1);
}

TEST(ChannelWalk, PutsSmallPlanesIntoABlock) {
  const auto small = walk_over_planes(64, 16, 32, 4);
  EXPECT_EQ(small.threads_x, 4);
  EXPECT_EQ(small.threads_y, 64);
  EXPECT_EQ(small.blocks_x, 1);
  const auto large = walk_over_planes(64, 65536, 32, 4);
  EXPECT_EQ(large.threads_x, 256);
  EXPECT_EQ(large.blocks_x, 64);
}

TEST(ChannelWalk, CutsFewImagesUntilADeviceIsBusyAndManySoThatEachPartIsLong) {
  EXPECT_EQ(walk_parts(/*steps=*/100, /*others=*/1), 100);
  EXPECT_EQ(walk_parts(1000, 1), 256);
  EXPECT_EQ(walk_parts(4096, 1), 512);  // eight steps each
  EXPECT_EQ(walk_parts(1'000'000, 1), 2048);
  EXPECT_EQ(walk_parts(1000, 64), 32);
  EXPECT_EQ(walk_parts(1000, 4096), 1);
}

// [2, 3, 5, 5]: vectors of eight end with every eighth pixel.
TEST(ChannelWalk, LeavesARowOfSumsForEachPartAndPixelOfAVector) {
  const auto pixels = walk_over_pixels(1, 2 * 5 * 5, 3, 8);
  EXPECT_EQ(pixels.parts, 1);
  EXPECT_EQ(pixels.partial_rows(), 8);
  EXPECT_EQ(walk_over_planes(2 * 3, 5 * 5, 3, 8).partial_rows(), 2);      // an image each
  EXPECT_EQ(walk_over_planes(2 * 3, 5 * 5, 2 * 3, 8).partial_rows(), 1);  // all planes apart
}

}  // namespace
}  // namespace ganscale::kernels
