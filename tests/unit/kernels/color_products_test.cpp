#include "kernels/color_products/color_products.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

constexpr auto kLast = at::MemoryFormat::ChannelsLast;

/// The parameter: how many weights two images have.
class ColorProducts : public testing::TestWithParam<std::int64_t> {
 protected:
  const at::Tensor features = fixed_numbers({2, 5, 3, 2}, 0.1);
  const at::Tensor colors = fixed_numbers({2, 3, 3, 2}, 0.2);
  const at::Tensor weights = fixed_numbers({GetParam(), 3, 5}, 0.4);
  const at::Tensor of_images = weights.expand({2, 3, 5});
};

TEST_P(ColorProducts, AreConvolutionsWithOnePixel) {
  const auto of_features = colors_of_features(features, weights);
  EXPECT_TRUE(at::allclose(of_features, at::einsum("nchw,noc->nohw", {features, of_images})));
  EXPECT_TRUE(of_features.is_contiguous(kLast));
  const auto of_colors = features_of_colors(colors, weights);
  EXPECT_TRUE(at::allclose(of_colors, at::einsum("nohw,noc->nchw", {colors, of_images})));
  EXPECT_TRUE(of_colors.is_contiguous(kLast));
  const auto each = at::einsum("nchw,nohw->noc", {features, colors});
  EXPECT_TRUE(at::allclose(weights_of_products(features, colors, GetParam()),
                           GetParam() == 1 ? each.sum(0, /*keepdim=*/true) : each));
}

TEST_P(ColorProducts, HaveTwoDerivatives) {
  expect_two_derivatives(
      [](const Tensors& in) { return colors_of_features(in[0], in[1]).contiguous(); },
      {features, weights});
  expect_two_derivatives(
      [](const Tensors& in) { return features_of_colors(in[0], in[1]).contiguous(); },
      {colors, weights});
  expect_two_derivatives(
      [](const Tensors& in) { return weights_of_products(in[0], in[1], GetParam()); },
      {features, colors});
}

// A device that takes a GPU's path.
TEST_P(ColorProducts, HaveTheirShapesOnADevice) {
  const auto options = at::TensorOptions(at::kMeta).dtype(at::kBFloat16);
  const auto x = at::empty({2, 8, 4, 4}, options.memory_format(kLast)).requires_grad_();
  const auto w = at::empty({GetParam(), 3, 8}, options).requires_grad_();
  const auto y = colors_of_features(x, w);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 3, 4, 4}));
  EXPECT_TRUE(y.is_contiguous(kLast) && y.scalar_type() == at::kBFloat16);
  const auto gradients = gradients_of(y.square().sum(), {x, w}, /*create_graph=*/true);
  EXPECT_TRUE(gradients[0].is_contiguous(kLast));
  EXPECT_EQ(gradients[1].sizes(), w.sizes());
  EXPECT_EQ(gradients[1].scalar_type(), at::kBFloat16);
  const auto second = gradients_of(gradients[0].sum() + gradients[1].sum(), {x, w}, false);
  EXPECT_EQ(second[0].sizes(), x.sizes());
}

INSTANTIATE_TEST_SUITE_P(Weights, ColorProducts, testing::Values(1, 2));

TEST(ColorProductsInLowPrecision, AreRoundedOnce) {
  const auto features = at::full({1, 3, 1, 1}, 1, at::kBFloat16);
  const auto weights = at::tensor({256.0F, 1.0F, 1.0F}).view({1, 1, 3}).to(at::kBFloat16);
  EXPECT_EQ(colors_of_features(features, weights).item<float>(), 258);  // 257 would be 256
  const auto colors = at::full({1, 1, 3, 1}, 1, at::kBFloat16);
  EXPECT_EQ(weights_of_products(weights.view({1, 1, 3, 1}), colors, 1).item<float>(), 258);
  EXPECT_EQ(features_of_colors(features, weights.view({1, 3, 1})).item<float>(), 258);
}

TEST(ColorProductsOfOtherSizes, AreRefused) {
  const auto features = at::ones({2, 5, 3, 2});
  expect_error(ExitCode::kBug, "a weight for each image",
               [&] { colors_of_features(features, at::ones({3, 3, 5})); });
  expect_error(ExitCode::kBug, "a weight for each image",
               [&] { colors_of_features(features, at::ones({1, 5, 5})); });
  expect_error(ExitCode::kBug, "a weight for each image",
               [&] { features_of_colors(features.slice(1, 0, 3), at::ones({1, 4, 5})); });
  expect_error(ExitCode::kBug, "not none",
               [&] { colors_of_features(features.slice(0, 0, 0), at::ones({1, 3, 5})); });
  expect_error(ExitCode::kBug, "of the same pixels",
               [&] { weights_of_products(features, at::ones({2, 3, 2, 3}), 1); });
}

}  // namespace
}  // namespace ganscale::kernels
