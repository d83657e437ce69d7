#include "cost/matrix_units.h"

#include <gtest/gtest.h>

namespace ganscale::cost {
namespace {

TEST(MatrixTile, DependsOnDeviceAndType) {
  const auto tile = [](const char* device, Number number, bool tf32) {
    return tile_of(device_of_name(device), number, tf32);
  };
  EXPECT_EQ(tile("A100", Number::kLowPrecision, true)->rows, 16);
  EXPECT_EQ(tile("A100", Number::kLowPrecision, true)->depth, 16);
  EXPECT_EQ(tile("A100", Number::kFloat32, true)->depth, 8);
  EXPECT_EQ(tile("H200", Number::kLowPrecision, true)->rows, 64);
  EXPECT_EQ(tile("CPU-core", Number::kFloat32, false)->columns, 16);
  EXPECT_FALSE(tile("H200", Number::kFloat32, false));
  EXPECT_FALSE(tile("V100", Number::kFloat32, true));  // has no TF32
  EXPECT_FALSE(tile("A100", Number::kFloat64, true));
}

// 3 x 3 kernels from 3 channels to 12 on 10 x 10 pixels: 128 rows, 16 columns, 9 times 16 channels.
TEST(MatrixProduct, TakesWholeTiles) {
  const MatrixProduct product{.rows = 100, .columns = 12, .channels = 3, .taps = 9};
  EXPECT_EQ(product.multiply_adds(), 100 * 12 * 3 * 9);
  EXPECT_EQ(multiply_adds_in_tiles(product, {.rows = 64, .columns = 8, .depth = 16}),
            128 * 16 * 16 * 9);
}

}  // namespace
}  // namespace ganscale::cost
