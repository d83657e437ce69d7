#include "kernels/convolution/convolution.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/upfirdn2d/upfirdn2d.h"
#include "support/check_gradients.h"

namespace ganscale::kernels {
namespace {

struct Case {
  Convolution2d options;
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> weight;
};

// Odd sizes; strides that do not reach the last row or column.
const std::vector<Case> kCases = {
    {{.padding = 1}, {2, 2, 5, 4}, {3, 2, 3, 3}},
    {{.stride = 2}, {1, 2, 6, 7}, {3, 2, 3, 3}},
    {{.stride = 2, .padding = 1}, {1, 2, 6, 5}, {3, 2, 3, 3}},
    {{.stride = 2, .transposed = true}, {2, 3, 3, 4}, {3, 2, 3, 3}},
    {{}, {2, 3, 4, 5}, {2, 3, 1, 1}},
    {{.padding = 1, .groups = 2}, {2, 4, 5, 4}, {6, 2, 3, 3}},
    {{.stride = 2, .padding = 1, .groups = 3}, {1, 3, 6, 5}, {6, 1, 3, 3}},
    {{.stride = 2, .transposed = true, .groups = 2}, {2, 4, 3, 4}, {4, 3, 3, 3}},
};

TEST(Convolution2d, HasTwoDerivatives) {
  for (const Case& one : kCases) {
    expect_two_derivatives(
        [&](const Tensors& in) { return convolution2d(in[0], in[1], one.options); },
        {fixed_numbers(one.x, 0.1), fixed_numbers(one.weight, 0.5)});
  }
}

TEST(Convolution2d, MatchesLibtorch) {
  for (const Case& one : kCases) {
    const auto x = fixed_numbers(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5);
    const auto expected =
        one.options.transposed
            ? at::conv_transpose2d(x, weight, {}, one.options.stride, one.options.padding,
                                   /*output_padding=*/0, one.options.groups)
            : at::conv2d(x, weight, {}, one.options.stride, one.options.padding, /*dilation=*/1,
                         one.options.groups);
    EXPECT_TRUE(convolution2d(x, weight, one.options).equal(expected));
  }
}

// The rest of a backward pass keeps what a layer returns.
TEST(Convolution2d, ReturnsGradientsChannelsLastIfItsResultIs) {
  const auto x = fixed_numbers({2, 4, 5, 4}, 0.1).contiguous(at::MemoryFormat::ChannelsLast);
  const auto weight = fixed_numbers({6, 2, 3, 3}, 0.5);
  const auto y = convolution2d(x.requires_grad_(), weight, {.padding = 1, .groups = 2});
  ASSERT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
  const auto gradient = fixed_numbers({2, 6, 5, 4}, 0.2);
  ASSERT_TRUE(gradient.is_contiguous());
  const auto d_x = torch::autograd::grad({y}, {x}, {gradient}).front();
  EXPECT_TRUE(d_x.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::allclose(d_x, at::conv_transpose2d(gradient, weight, {}, 1, 1, 0, 2)));
}

TEST(ResampledConvolution2d, HasTwoDerivatives) {
  const auto filter = setup_filter({1, 3, 3, 1}, at::kDouble);
  for (const auto& options :
       {Resampling{.up = 2}, Resampling{.down = 2}, Resampling{.up = 2, .down = 2},
        Resampling{.up = 2, .flip_weight = true}}) {
    expect_two_derivatives(
        [&](const Tensors& in) { return resampled_convolution2d(in[0], in[1], filter, options); },
        {fixed_numbers({1, 4, 5, 4}, 0.1), fixed_numbers({4, 4, 3, 3}, 0.5)});
  }
}

// A weight of one centered 1 passes the image through: what remains is the resampling.
TEST(ResampledConvolution2d, OfAnIdentityIsTheResampling) {
  const auto filter = setup_filter({1, 3, 3, 1}, at::kDouble);
  const auto x = fixed_numbers({2, 1, 8, 6}, 0.1);
  for (const std::int64_t size : {1, 3}) {
    const auto weight = at::zeros({1, 1, size, size}, at::kDouble);
    weight[0][0][size / 2][size / 2] = 1;
    for (const bool flip : {false, true}) {
      EXPECT_TRUE(
          at::allclose(resampled_convolution2d(x, weight, filter, {.up = 2, .flip_weight = flip}),
                       upsample2d(x, filter)));
      EXPECT_TRUE(
          at::allclose(resampled_convolution2d(x, weight, filter, {.down = 2, .flip_weight = flip}),
                       downsample2d(x, filter)));
    }
  }
}

// Enlarged and smoothed, convolved, smoothed and thinned out: the image is padded once, at first.
TEST(ResampledConvolution2d, EnlargesBeforeItReduces) {
  const auto filter = setup_filter({1, 3, 3, 1}, at::kDouble);
  const auto x = fixed_numbers({2, 3, 4, 5}, 0.1);
  const auto weight = fixed_numbers({2, 3, 3, 3}, 0.5);
  // 1 of the weight, 2 and 1 of the enlargement by 2, 1 and 1 (for 3: 1 and 0) of the reduction.
  for (const std::int64_t down : {2, 3}) {
    const std::int64_t after = down == 2 ? 3 : 2;
    const auto large = upfirdn2d(x, filter,
                                 {.up_x = 2,
                                  .up_y = 2,
                                  .pad_left = 4,
                                  .pad_right = after,
                                  .pad_top = 4,
                                  .pad_bottom = after,
                                  .gain = 4});
    const auto expected =
        upfirdn2d(at::conv2d(large, weight), filter, {.down_x = down, .down_y = down});
    EXPECT_TRUE(at::allclose(resampled_convolution2d(x, weight, filter, {.up = 2, .down = down}),
                             expected));
  }
}

}  // namespace
}  // namespace ganscale::kernels
