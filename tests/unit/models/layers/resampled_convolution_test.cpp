#include "models/layers/resampled_convolution.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/plain_numbers.h"

namespace ganscale::models {
namespace {

// Of upsampled_conv2d() tests/unit/models/layers/convolution_test.cpp has the same.
TEST(HalvedConvolution, IsAConvolutionAndAMeanOverBlocks) {
  const auto x = numbers({2, 3, 4, 6}, 1).requires_grad_();
  const auto weight = numbers({5, 3, 3, 3}, 2).requires_grad_();
  const auto bias = numbers({5}, 3).requires_grad_();
  const auto expected = at::avg_pool2d(at::conv2d(x, weight, bias, 1, 1), {2, 2});
  const auto given = halved_conv2d({x, weight, bias});
  EXPECT_TRUE(at::allclose(given, expected, 1e-12, 1e-12));
  const auto gradient = numbers({2, 5, 2, 3}, 4);
  const auto gradients = torch::autograd::grad({expected}, {x, weight, bias}, {gradient});
  const auto ours = torch::autograd::grad({given}, {x, weight, bias}, {gradient});
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(at::allclose(ours[i], gradients[i], 1e-12, 1e-12)) << "input " << i;
  }
}

}  // namespace
}  // namespace ganscale::models
