#include "kernels/modulated_conv/modulated_conv.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "kernels/upfirdn2d/upfirdn2d.h"
#include "support/check_gradients.h"
#include "support/expect_error.h"
#include "unit/kernels/modulated_conv2d.h"

namespace ganscale::kernels {
namespace {

TEST(ScaleChannels, AndDotChannelsHaveTwoDerivatives) {
  const Tensors images = {fixed_numbers({2, 3, 5, 3}, 0.1), fixed_numbers({2, 3, 5, 3}, 0.9)};
  expect_two_derivatives([](const Tensors& in) { return scale_channels(in[0], in[1]); },
                         {images[0], fixed_numbers({2, 3}, 0.5)});
  expect_two_derivatives([](const Tensors& in) { return dot_channels(in[0], in[1]); }, images);
}

TEST(ScaleChannels, AreTheSameInEveryLayout) {
  const auto x = fixed_numbers({2, 19, 9, 7}, 0.1);
  const auto scale = fixed_numbers({2, 19}, 0.5);
  const auto last = x.contiguous(at::MemoryFormat::ChannelsLast);
  const auto strided = fixed_numbers({2, 19, 9, 14}, 0.4).slice(3, 0, 14, 2);
  EXPECT_TRUE(scale_channels(x, scale).equal(x * scale.view({2, 19, 1, 1})));
  EXPECT_TRUE(scale_channels(last, scale).equal(scale_channels(x, scale)));
  EXPECT_TRUE(at::allclose(dot_channels(x, strided), (x * strided).sum({2, 3})));
  EXPECT_TRUE(at::allclose(dot_channels(last, strided), (x * strided).sum({2, 3})));
}

TEST(ScaleChannels, RefuseNoImagesAndTheScalesOfOthers) {
  const auto x = fixed_numbers({2, 3, 5, 4}, 0.1);
  const auto scale = fixed_numbers({2, 3}, 0.5);
  expect_error(ExitCode::kBug, "not none",
               [&] { scale_channels(x.slice(0, 0, 0), scale.slice(0, 0, 0)); });
  expect_error(ExitCode::kBug, "a scale for each image",
               [&] { scale_channels(x, scale.slice(0, 0, 1)); });
  expect_error(ExitCode::kBug, "two batches of images of one shape",
               [&] { dot_channels(x, x.slice(0, 0, 1)); });
}

class ModulatedConv : public testing::Test {
 protected:
  at::Tensor x = fixed_numbers({2, 3, 5, 4}, 0.1);
  at::Tensor weight = fixed_numbers({4, 3, 3, 3}, 0.4);
  at::Tensor styles = fixed_numbers({2, 3}, 0.8) + 1.5;
  at::Tensor filter = setup_filter({1, 3, 3, 1}, at::kDouble);
};

TEST_F(ModulatedConv, HasTwoDerivatives) {
  // Small: each number is moved by itself, and a sanitizer is slow.
  const Tensors inputs = {fixed_numbers({2, 2, 4, 3}, 0.1), fixed_numbers({2, 2, 3, 3}, 0.4),
                          fixed_numbers({2, 2}, 0.8) + 1.5};
  for (const std::int64_t up : {1, 2}) {
    for (const bool demodulate : {false, true}) {
      const ModulatedConvolution options{{.up = up}, demodulate};
      expect_two_derivatives(
          [&](const Tensors& in) { return modulated_conv2d(in[0], in[1], in[2], filter, options); },
          inputs);
    }
  }
}

// Eqs. (1) to (3) for one image and channel, written out.
TEST_F(ModulatedConv, ScalesTheWeightAndNormalizesIt) {
  const auto result = modulated_conv2d(x, weight, styles, {}, {});
  const auto scaled = weight[2] * styles[1].view({3, 1, 1});
  const auto normal = scaled / (scaled.square().sum() + 1e-8).sqrt();
  const auto expected = at::conv2d(x.slice(0, 1, 2), normal.unsqueeze(0), {}, 1, 1)[0][0];
  EXPECT_TRUE(at::allclose(result[1][2], expected));
}

TEST_F(ModulatedConv, TakesStridedImages) {
  const auto wide = fixed_numbers({2, 3, 5, 8}, 0.1).slice(3, 0, 8, 2);
  EXPECT_TRUE(at::allclose(modulated_conv2d(wide, weight, styles, {}, {}),
                           modulated_conv2d(wide.contiguous(), weight, styles, {}, {})));
}

class MixChannels : public testing::TestWithParam<at::MemoryFormat> {};

TEST_P(MixChannels, ConvolvesWithAPixelOfEachImage) {
  const auto x = fixed_numbers({2, 3, 5, 4}, 0.1).contiguous(GetParam());
  const auto weights = fixed_numbers({2, 4, 3}, 0.4);
  const auto result = mix_channels(x, weights);
  EXPECT_TRUE(at::allclose(result, at::einsum("nchw,noc->nohw", {x, weights})));
  EXPECT_TRUE(result.is_contiguous(GetParam()));
  expect_two_derivatives(
      [&](const Tensors& in) {
        return mix_channels(in[0].contiguous(GetParam()), in[1]).contiguous();
      },
      {x.contiguous(), weights});
}

TEST_P(MixChannels, RefusesWeightsOfAnotherBatch) {
  expect_error(ExitCode::kBug, "a weight for each image",
               [] { mix_channels(at::ones({2, 3, 5, 4}), at::ones({1, 4, 3})); });
}

INSTANTIATE_TEST_SUITE_P(Layouts, MixChannels,
                         testing::Values(at::MemoryFormat::Contiguous,
                                         at::MemoryFormat::ChannelsLast));

// Styles of 3e4 times 3e4 would be infinite in float16.
TEST(ModulatedConvInFloat16, DoesNotOverflow) {
  const auto x = fixed_numbers({2, 16, 8, 8}, 0.1).to(at::kHalf) * 100;
  const auto weight = fixed_numbers({8, 16, 3, 3}, 0.4).to(at::kFloat) * 100;
  const auto styles = fixed_numbers({2, 16}, 0.8).to(at::kFloat) * 3e4;
  const auto result = modulated_conv2d(x, weight, styles, {}, {});
  const auto expected =
      modulated_conv2d(x.to(at::kDouble), weight.to(at::kDouble), styles.to(at::kDouble), {}, {});
  EXPECT_TRUE(result.isfinite().all().item<bool>());
  EXPECT_LT((result.to(at::kDouble) - expected).abs().max().item<double>(),
            5e-3 * expected.abs().max().item<double>());
}

}  // namespace
}  // namespace ganscale::kernels
