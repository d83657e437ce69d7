#include "kernels/output_skip/output_skip.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

TEST(OutputSkip, AddsTheClampedSumToTheImage) {
  const auto rgb = at::tensor({1.0F, 3.0F, -9.0F, 0.5F}).view({1, 2, 1, 2});
  const auto bias = at::tensor({1.0F, -1.0F});
  const auto clamped = at::tensor({2.0F, 2.5F, -2.5F, -0.5F}).view({1, 2, 1, 2});
  EXPECT_TRUE(output_skip({.rgb = rgb, .bias = bias}, 2.5).equal(clamped));
  const auto image = fixed_numbers({1, 2, 1, 2}, 0.3).to(at::kFloat);
  EXPECT_TRUE(output_skip({.rgb = rgb, .bias = bias, .image = image}, 2.5).equal(image + clamped));
}

TEST(OutputSkip, HasTwoDerivatives) {
  expect_two_derivatives(
      [](const Tensors& in) {
        return output_skip({.rgb = in[0], .bias = in[1], .image = in[2]}, 0.8);
      },
      {fixed_numbers({2, 3, 2, 2}, 0.1), fixed_numbers({3}, 0.2),
       fixed_numbers({2, 3, 2, 2}, 0.3)});
}

TEST(OutputSkip, HasTheTypeOfTheBias) {
  const auto rgb = at::ones({1, 3, 2, 2}, at::kBFloat16);
  EXPECT_EQ(output_skip({.rgb = rgb, .bias = at::zeros({3})}, {}).scalar_type(), at::kFloat);
}

// A device that takes a GPU's path.
TEST(OutputSkip, HasItsShapesOnADevice) {
  const at::TensorOptions options(at::kMeta);
  const auto rgb =
      at::empty({2, 3, 4, 4},
                options.dtype(at::kBFloat16).memory_format(at::MemoryFormat::ChannelsLast))
          .requires_grad_();
  const auto bias = at::empty({3}, options).requires_grad_();
  const auto image = at::empty({2, 3, 4, 4}, options).requires_grad_();
  const auto sum = output_skip({.rgb = rgb, .bias = bias, .image = image}, 256.0);
  EXPECT_TRUE(sum.is_contiguous() && sum.scalar_type() == at::kFloat);
  const auto gradients = gradients_of(sum.square().sum(), {rgb, bias, image}, true);
  EXPECT_EQ(gradients[0].scalar_type(), at::kBFloat16);
  EXPECT_TRUE(gradients[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(gradients[1].sizes(), bias.sizes());
  const auto second =
      gradients_of(gradients[0].sum() + gradients[1].sum(), {image}, /*create_graph=*/false);
  EXPECT_EQ(second[0].sizes(), image.sizes());
}

TEST(OutputSkip, RefusesImagesOfOtherSizes) {
  const auto rgb = at::ones({1, 3, 2, 2});
  expect_error(ExitCode::kBug, "of one shape", [&] {
    output_skip({.rgb = rgb, .bias = at::zeros({3}), .image = at::ones({1, 3, 4, 4})}, {});
  });
  expect_error(ExitCode::kBug, "a bias per channel",
               [&] { output_skip({.rgb = rgb, .bias = at::zeros({2})}, {}); });
}

}  // namespace
}  // namespace ganscale::kernels
