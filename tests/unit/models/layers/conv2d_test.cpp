#include "models/layers/conv2d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <vector>

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

/// One of the convolutions, and the same by LibTorch.
struct Pair {
  const char* name;
  std::function<at::Tensor(const ConvolutionOperands& in)> ours;
  std::function<at::Tensor(const ConvolutionOperands& in)> libtorch;
};

at::Tensor plain(const ConvolutionOperands& in) {
  return at::conv2d(in.x, in.weight, in.bias, 1, 1, 1, in.groups);
}

const std::vector<Pair> kPairs = {
    {"conv2d", [](const ConvolutionOperands& in) { return conv2d(in); }, plain},
    {"upsampled_conv2d", upsampled_conv2d,
     [](const ConvolutionOperands& in) {
       const auto large = in.x.repeat_interleave(2, 2).repeat_interleave(2, 3);
       return plain({large, in.weight, in.bias});
     }},
    {"halved_conv2d", halved_conv2d,
     [](const ConvolutionOperands& in) { return at::avg_pool2d(plain(in), {2, 2}); }}};

/// Returns the result and the gradients of x, weight and bias, of 32 channels and channels last: on
/// a CPU in float32, by kernels of our own.
std::vector<at::Tensor> with_gradients(
    const std::function<at::Tensor(const ConvolutionOperands& in)>& convolve,
    at::ScalarType dtype) {
  const auto x = numbers({2, 32, 16, 20}, 1)
                     .to(dtype)
                     .contiguous(at::MemoryFormat::ChannelsLast)
                     .requires_grad_();
  const auto weight = numbers({64, 32, 3, 3}, 2).to(dtype).requires_grad_();
  const auto bias = numbers({64}, 3).to(dtype).requires_grad_();
  const auto y = convolve({x, weight, bias});
  const auto gradient = numbers(y.sizes().vec(), 4).to(dtype);
  auto results = torch::autograd::grad({y}, {x, weight, bias}, {gradient});
  results.push_back(y.detach());
  return results;
}

TEST(Convolutions, HaveTheResultsAndGradientsOfLibtorchInFloat32) {
  for (const Pair& pair : kPairs) {
    const auto ours = with_gradients(pair.ours, at::kFloat);
    const auto expected = with_gradients(pair.libtorch, at::kDouble);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = (ours[i].to(at::kDouble) - expected[i]).abs().max().item<double>();
      EXPECT_LT(error, 1e-5 * expected[i].abs().max().item<double>()) << pair.name << i;
    }
  }
}

TEST(Convolutions, MayHaveGroups) {
  const auto x = numbers({2, 4, 5, 6}, 1);
  const auto weight = numbers({6, 2, 3, 3}, 2);
  const ConvolutionOperands in{x, weight, /*bias=*/{}, /*groups=*/2};
  EXPECT_TRUE(at::allclose(conv2d(in), plain(in)));
}

}  // namespace
}  // namespace ganscale::models
