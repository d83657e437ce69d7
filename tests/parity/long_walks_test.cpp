// CUDA kernels where each thread walks over several vectors, which takes more elements than other
// tests have.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "kernels/bias_act/bias_act.h"
#include "kernels/launch/channel_walk.h"
#include "kernels/modulated_conv/modulated_conv.h"

namespace ganscale::kernels {
namespace {

/// Images whose planes, or pixels, keep a device busy with one block for each part of a walk.
at::Tensor images(at::IntArrayRef shape, at::MemoryFormat format, double offset) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) count *= length;
  return at::arange(count, at::kDouble)
      .mul(0.37)
      .add(offset)
      .sin()
      .view(shape)
      .to(at::kFloat, /*non_blocking=*/false, /*copy=*/false, format);
}

struct Walk {
  std::vector<std::int64_t> shape;
  at::MemoryFormat format;
};

class LongWalk : public testing::TestWithParam<Walk> {
 protected:
  at::Tensor x = images(GetParam().shape, GetParam().format, 0.1);
  at::Tensor gradient = images(GetParam().shape, GetParam().format, 0.7);
};

void expect_close(const at::Tensor& kernel, const at::Tensor& expected) {
  EXPECT_LE((kernel - expected).abs().max().item<double>(),
            1e-4 * expected.abs().max().item<double>());
}

TEST_P(LongWalk, SumsTheGradientOfABias) {
  const auto input = x.detach().requires_grad_();
  const auto bias = at::zeros({x.size(1)}).requires_grad_();
  bias_act(input, bias, {.activation = Activation::kLeakyRelu}).backward(gradient);
  const auto expected = gradient * at::where(x > 0, 1.0, 0.2);
  expect_close(input.grad(), expected);
  expect_close(bias.grad(), expected.sum({0, 2, 3}, false, at::kDouble).to(at::kFloat));
}

TEST_P(LongWalk, ScalesAndMultipliesChannels) {
  const auto factors = images({x.size(0), x.size(1), 1, 1}, at::MemoryFormat::Contiguous, 0.3);
  expect_close(scale_channels(x, factors.view({x.size(0), x.size(1)})), x * factors);
  expect_close(dot_channels(x, gradient),
               (x * gradient).sum({2, 3}, false, at::kDouble).to(at::kFloat));
}

TEST_P(LongWalk, MixesChannelsToColors) {
  const auto operand = x.detach().requires_grad_();
  const auto weights =
      images({x.size(0), 3, x.size(1)}, at::MemoryFormat::Contiguous, 0.2).requires_grad_();
  const auto colors = mix_channels(operand, weights);
  expect_close(colors, at::einsum("nchw,noc->nohw", {x, weights}));
  const auto of_colors = gradient.slice(1, 0, 3);
  colors.backward(of_colors);
  expect_close(operand.grad(), at::einsum("nohw,noc->nchw", {of_colors, weights}));
  expect_close(weights.grad(),
               at::einsum("nchw,nohw->noc", {x.to(at::kDouble), of_colors.to(at::kDouble)}));
}

INSTANTIATE_TEST_SUITE_P(Layouts, LongWalk,
                         testing::Values(Walk{{4, 64, 48, 48}, at::MemoryFormat::Contiguous},
                                         Walk{{2, 8, 192, 192}, at::MemoryFormat::ChannelsLast}),
                         [](const auto& info) {
                           return info.param.format == at::MemoryFormat::ChannelsLast ? "Pixels"
                                                                                      : "Planes";
                         });

}  // namespace
}  // namespace ganscale::kernels
