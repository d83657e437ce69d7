#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "kernels/upfirdn2d/upfirdn2d.h"
#include "support/upfirdn2d_cases.h"

namespace ganscale::kernels {
namespace {

class Upfirdn2dKernel : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
  }
  /// Of the largest value: sums of at most 25 products, rounded once to the pixel's type.
  double tolerance() const {
    switch (GetParam()) {
      case at::kDouble: return 1e-13;
      case at::kFloat: return 1e-5;
      case at::kHalf: return 1e-3;
      default: return 8e-3;
    }
  }
};

std::vector<at::Tensor> images() {
  const auto x = at::randn({2, 3, 13, 11}, at::kDouble);
  return {x,
          x.transpose(2, 3),
          x.contiguous(at::MemoryFormat::ChannelsLast),
          at::randn({1, 1, 1, 5}, at::kDouble),
          at::randn({3, 70, 33, 40}, at::kDouble),
          at::randn({3, 70, 33, 40}, at::kDouble).contiguous(at::MemoryFormat::ChannelsLast)};
}

TEST_P(Upfirdn2dKernel, IsTheReference) {
  for (const auto& filter : {at::randn({5, 4}, at::kDouble), at::randn({3}, at::kDouble),
                             setup_filter({1, 3, 3, 1}, at::kDouble)}) {
    for (auto options : upfirdn2d_cases()) {
      options.pad_left += 20;  // room for the smallest image
      options.pad_top += 20;
      for (const auto& whole : images()) {
        const auto x = whole.to(GetParam());
        const auto expected = upfirdn2d(x.to(at::kDouble), filter, options);
        const auto ours = upfirdn2d(x.cuda(), filter.cuda(), options);
        EXPECT_EQ(ours.scalar_type(), GetParam());
        const auto error = (ours.cpu().to(at::kDouble) - expected).abs().max().item<double>();
        EXPECT_LE(error, tolerance() * expected.abs().max().item<double>());
      }
    }
  }
}

TEST_P(Upfirdn2dKernel, HasTheGradientOfTheReference) {
  const auto filter = at::randn({4, 4}, at::kDouble);
  for (const auto& options : upfirdn2d_cases()) {
    const auto gradient = [&](const at::Tensor& from) {
      const auto x = from.detach().requires_grad_();
      const auto y = upfirdn2d(x, filter.to(x.device()), options);
      return torch::autograd::grad({y.sum()}, {x})[0].cpu().to(at::kDouble);
    };
    const auto x = at::randn({2, 3, 13, 11}, at::kDouble);
    const auto expected = gradient(x);
    const auto error = (gradient(x.to(GetParam()).cuda()) - expected).abs().max().item<double>();
    EXPECT_LE(error, tolerance() * expected.abs().max().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Upfirdn2dKernel,
                         testing::Values(at::kFloat, at::kDouble, at::kHalf, at::kBFloat16));

}  // namespace
}  // namespace ganscale::kernels
