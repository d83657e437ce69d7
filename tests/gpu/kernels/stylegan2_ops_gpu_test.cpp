// The kernels of bias_act, scale_channels, dot_channels and minibatch_stddev against their
// references.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "kernels/bias_act/bias_act.h"
#include "kernels/minibatch_stddev/minibatch_stddev.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "support/activation_of.h"

namespace ganscale::kernels {
namespace {

/// Sizes that fill no block, and one larger than a grid.
const std::vector<std::vector<std::int64_t>> kShapes = {
    {1, 1, 1, 1}, {4, 3, 5, 7}, {2, 33, 17, 19}, {4, 64, 128, 128}};

class Stylegan2Kernels : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
    at::manual_seed(1);
  }

  /// Numbers of the type under test, on the host.
  at::Tensor numbers(at::IntArrayRef shape) const {
    return at::randn(shape, at::kDouble).to(GetParam());
  }

  /// Returns 0 where the value is so near to the clamp that rounding decides about its slope, else
  /// 1.
  at::Tensor is_clear_of_clamp(const at::Tensor& x, const at::Tensor& bias, BiasAct options) const {
    const double clamp = options.clamp.value();
    options.clamp.reset();
    const auto value = bias_act(x.to(at::kDouble), bias.to(at::kDouble), options);
    return (value.abs() - clamp).abs().gt(tolerance() * clamp).to(GetParam());
  }

  void expect_close(const at::Tensor& kernel, const at::Tensor& reference) const {
    const double largest = reference.to(at::kDouble).abs().max().item<double>();
    const double error =
        (kernel.cpu().to(at::kDouble) - reference.to(at::kDouble)).abs().max().item<double>();
    EXPECT_LE(error, tolerance() * (largest + 1e-3));
  }

  double tolerance() const {
    switch (GetParam()) {
      case at::kDouble: return 1e-13;
      case at::kFloat: return 1e-5;
      case at::kHalf: return 2e-3;
      default: return 2e-2;
    }
  }
};

TEST_P(Stylegan2Kernels, BiasActHasTheValuesAndDerivativesOfTheReference) {
  for (const char* name :
       {"linear", "relu", "lrelu", "tanh", "sigmoid", "elu", "selu", "softplus", "swish"}) {
    const BiasAct options{.activation = activation_of(name), .gain = 1.5, .clamp = 1.2};
    for (const auto& shape : kShapes) {
      const auto x = numbers(shape);
      const auto bias = numbers({shape[1]});
      const auto gradient = numbers(shape) * is_clear_of_clamp(x, bias, options);
      const auto run = [&](at::Device device, at::MemoryFormat format) -> std::vector<at::Tensor> {
        const auto place = x.to(device).contiguous(format).requires_grad_();
        const auto start = bias.to(device).requires_grad_();
        const auto value = bias_act(place, start, options);
        const auto slopes =
            torch::autograd::grad({value}, {place, start}, {gradient.to(device)}, false, false);
        return {value.detach(), slopes[0], slopes[1]};
      };
      const auto expected = run(at::kCPU, at::MemoryFormat::Contiguous);
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        const auto seen = run(at::kCUDA, format);
        for (std::size_t i = 0; i < seen.size(); ++i) expect_close(seen[i], expected[i]);
      }
    }
  }
}

TEST_P(Stylegan2Kernels, ChannelsAreScaledAndMultipliedAsByTheReference) {
  for (const auto& shape : kShapes) {
    const auto x = numbers(shape);
    const auto y = numbers(shape);
    const auto scale = numbers({shape[0], shape[1]});
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const auto on_device = x.to(at::kCUDA).contiguous(format);
      expect_close(scale_channels(on_device, scale.to(at::kCUDA)), scale_channels(x, scale));
      expect_close(dot_channels(on_device, y.to(at::kCUDA)), dot_channels(x, y));
    }
  }
}

TEST_P(Stylegan2Kernels, MinibatchStddevMatchesTheReference) {
  for (const auto& shape : {std::vector<std::int64_t>{4, 3, 4, 4}, {8, 512, 4, 4}, {6, 4, 5, 3}}) {
    const auto x = numbers(shape);
    expect_close(minibatch_stddev(x.to(at::kCUDA), 2), minibatch_stddev(x, 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Stylegan2Kernels,
                         testing::Values(at::kFloat, at::kDouble, at::kHalf, at::kBFloat16));

}  // namespace
}  // namespace ganscale::kernels
