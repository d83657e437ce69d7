#include "data/image/resample.h"

#include <gtest/gtest.h>

#include "unit/data/images.h"

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Resample, HalvesWithATriangleOfTwoPixels) {
  // Output 0 lies at 1: weights .75, .75, .25 of the pixels at 0.5, 1.5, 2.5, over their sum 1.75.
  EXPECT_EQ(resample(make_image(1, 1, 4, {0, 0, 70, 70}), 1, 2).hwc, (Bytes{10, 60}));
  EXPECT_EQ(resample(make_image(1, 4, 1, {0, 0, 70, 70}), 2, 1).hwc, (Bytes{10, 60}));
}

TEST(Resample, DoublesByLinearInterpolation) {
  EXPECT_EQ(resample(make_image(1, 1, 2, {0, 100}), 1, 4).hwc, (Bytes{0, 25, 75, 100}));
}

TEST(Resample, KeepsAFlatImageAndItsChannelsApart) {
  EXPECT_EQ(resample(make_image(3, 1, 2, {1, 128, 255, 1, 128, 255}), 1, 1).hwc,
            (Bytes{1, 128, 255}));
}

TEST(Resample, CropsTheMiddle) {
  EXPECT_EQ(crop_to_ratio(make_image(1, 1, 3, {1, 2, 3}), 8).hwc, Bytes{2});
  EXPECT_EQ(crop_to_ratio(make_image(1, 3, 1, {1, 2, 3}), 8).hwc, Bytes{2});
}

TEST(Resample, CropsToAnAspectRatio) {
  const Image image = make_image(1, 3, 4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(crop_to_ratio(image, {16, 32}).hwc, (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(crop_to_ratio(image, {32, 16}).hwc, (Bytes{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(crop_to_ratio(image, {1, 32}).hwc, (Bytes{5, 6, 7, 8})) << "at least one row";
}

}  // namespace
}  // namespace ganscale::data
