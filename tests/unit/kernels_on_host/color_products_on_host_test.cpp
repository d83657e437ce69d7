#include <vector>

#include "kernels/color_products/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

/// Vectors that end with a pixel or do not, fewer and more than the threads that share a pixel;
/// pixels that fill no block, or several parts of an image; so many images that a block walks over
/// all pixels of one; any number of colors.
std::vector<ColorLayout> color_layouts() {
  std::vector<ColorLayout> layouts = {
      {.image_count = 2, .pixel_count = 1, .feature_count = 1, .color_count = 1},
      {.image_count = 2, .pixel_count = 35, .feature_count = 33, .color_count = 3},
      {.image_count = 1, .pixel_count = 35, .feature_count = 16, .color_count = 3},
      {.image_count = 3, .pixel_count = 36, .feature_count = 24, .color_count = 3},
      {.image_count = 2, .pixel_count = 150, .feature_count = 72, .color_count = 4},
      {.image_count = 1, .pixel_count = 2100, .feature_count = 32, .color_count = 2},
      {.image_count = 1, .pixel_count = 9, .feature_count = 2080, .color_count = 3},
  };
  if (!host_grid::is_slow()) {
    layouts.push_back(
        {.image_count = 256, .pixel_count = 150, .feature_count = 33, .color_count = 3});
  }
  return layouts;
}

struct ColorArrays {
  at::Tensor features;
  at::Tensor colors;
  at::Tensor weights;
};

class ColorProductsOnHost : public KernelOnHost {
 protected:
  /// Numbers behind as many as are asked for, which may forbid access by 16 bytes.
  static at::Tensor numbers_behind(std::int64_t others, at::IntArrayRef shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) count *= length;
    return numbers({others + count}).slice(0, others).view(shape);
  }

  /// Among those of another layer.
  static at::Tensor some_weights(std::int64_t others, const ColorLayout& of) {
    const std::int64_t all = of.feature_count + 16;
    return numbers_behind(others, {of.image_count, of.color_count, all}).slice(2, 8, all - 8);
  }

  static ColorArrays some_arrays(std::int64_t others, const ColorLayout& of) {
    return {numbers_behind(others, {of.image_count, of.pixel_count, of.feature_count}),
            numbers_behind(others, {of.image_count, of.pixel_count, of.color_count}),
            some_weights(others, of)};
  }

  static ColorWeights input_of(const at::Tensor& weights) {
    return {.first = weights.const_data_ptr(),
            .image_stride = weights.stride(0),
            .color_stride = weights.stride(1)};
  }

  /// Calls `expect` with arrays and their layout.
  template <class Expect>
  static void for_each_case(Expect expect) {
    for (ColorLayout layout : color_layouts()) {
      layout.type = GetParam().type;
      for (const std::int64_t others : {0, 1}) expect(some_arrays(others, layout), layout);
    }
  }

  static ColorLayout for_reference(ColorLayout layout) {
    layout.type = ScalarType::kFloat64;
    return layout;
  }

  static at::Tensor exact(const at::Tensor& tensor) { return tensor.to(at::kDouble); }

  /// Room for a result, which lies as far behind the beginning of its memory as `like`.
  static at::Tensor room_like(const at::Tensor& like) {
    return numbers_behind(like.storage_offset(), like.sizes()).fill_(-77);
  }

  /// As expect_close(), for sums of so many products, each rounded to at least float32, and the
  /// result to its own type.
  static void expect_close_sums(const at::Tensor& kernel, const at::Tensor& expected,
                                std::int64_t products) {
    const KernelType& of_sums = GetParam().type == ScalarType::kFloat64 ? kFloat64 : kFloat32;
    const bool is_rounded =
        kernel.scalar_type() == at::kHalf || kernel.scalar_type() == at::kBFloat16;
    const double allowed = of_sums.tolerance * std::sqrt(static_cast<double>(products)) +
                           (is_rounded ? GetParam().tolerance : 0);
    const double error = (exact(kernel) - expected).abs().max().item<double>();
    EXPECT_LE(error, allowed * std::max(expected.abs().max().item<double>(), 1.0));
  }
};

TEST_P(ColorProductsOnHost, FillColorsAsTheReference) {
  for_each_case([](const ColorArrays& in, const ColorLayout& layout) {
    const auto out = room_like(in.colors);
    color_products_kernel(ColorsArrays{.colors = out.mutable_data_ptr(),
                                       .features = in.features.const_data_ptr(),
                                       .weights = input_of(in.weights)},
                          layout, nullptr);
    const auto features = exact(in.features);
    const auto weights = exact(in.weights);
    const auto expected = at::full_like(out, -77, at::kDouble);
    color_products_reference(ColorsArrays{.colors = expected.mutable_data_ptr(),
                                          .features = features.const_data_ptr(),
                                          .weights = input_of(weights)},
                             for_reference(layout));
    EXPECT_TRUE(at::allclose(expected, features.bmm(weights.transpose(1, 2))));
    expect_close_sums(out, expected, layout.feature_count);
  });
}

TEST_P(ColorProductsOnHost, FillFeaturesAsTheReference) {
  for_each_case([](const ColorArrays& in, const ColorLayout& layout) {
    const auto out = room_like(in.features);
    color_products_kernel(FeaturesArrays{.features = out.mutable_data_ptr(),
                                         .colors = in.colors.const_data_ptr(),
                                         .weights = input_of(in.weights)},
                          layout, nullptr);
    const auto colors = exact(in.colors);
    const auto weights = exact(in.weights);
    const auto expected = at::full_like(out, -77, at::kDouble);
    color_products_reference(FeaturesArrays{.features = expected.mutable_data_ptr(),
                                            .colors = colors.const_data_ptr(),
                                            .weights = input_of(weights)},
                             for_reference(layout));
    EXPECT_TRUE(at::allclose(expected, colors.bmm(weights)));
    expect_close_sums(out, expected, layout.color_count);
  });
}

TEST_P(ColorProductsOnHost, SumTheGradientOfWeightsAsTheReference) {
  for_each_case([](const ColorArrays& in, const ColorLayout& layout) {
    const auto rows = at::full(
        {color_parts(layout), layout.image_count, layout.color_count, layout.feature_count}, -77,
        wide(in.features).options());
    color_products_kernel(ColorWeightsArrays{.sums = rows.mutable_data_ptr(),
                                             .features = in.features.const_data_ptr(),
                                             .colors = in.colors.const_data_ptr()},
                          layout, nullptr);
    const auto features = exact(in.features);
    const auto colors = exact(in.colors);
    const auto expected = at::full_like(rows[0], -77, at::kDouble);
    color_products_reference(ColorWeightsArrays{.sums = expected.mutable_data_ptr(),
                                                .features = features.const_data_ptr(),
                                                .colors = colors.const_data_ptr()},
                             for_reference(layout));
    EXPECT_TRUE(at::allclose(expected, colors.transpose(1, 2).bmm(features)));
    expect_close_sums(rows.sum(0), expected, layout.pixel_count);
  });
}

INSTANTIATE_TEST_SUITE_P(Types, ColorProductsOnHost, every_type(), name_of_type);

// 32 images of 256x256, or the layers of a discriminator that share a weight.
TEST(ColorWalk, FillsADeviceWithBlocks) {
  const ColorLayout many{.type = ScalarType::kBFloat16,
                         .image_count = 32,
                         .pixel_count = 65536,
                         .feature_count = 128,
                         .color_count = 3};
  EXPECT_EQ(walk_of_pixels(many, 8).threads_x, 8);
  EXPECT_EQ(32 * walk_of_pixels(many, 8).parts, 2048);
  EXPECT_EQ(walk_of_features(many, 8).threads_x, 16);
  EXPECT_EQ(32 * color_parts(many), 2048);
  ColorLayout one = many;
  one.image_count = 1;
  one.pixel_count = 32 * many.pixel_count;
  EXPECT_EQ(color_parts(one), 2048);
}

}  // namespace
}  // namespace ganscale::kernels
