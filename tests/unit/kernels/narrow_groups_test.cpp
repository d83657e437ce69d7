#include "kernels/convolution/narrow_groups.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/check_gradients.h"

namespace ganscale::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

at::Tensor channels_last(const Sizes& shape, double phase) {
  return fixed_numbers(shape, phase).to(at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
}

struct GroupCase {
  Convolution2d options;
  Sizes x;
  Sizes weight;
};

// Whole bands of rows and parts of one; one and several blocks of channels; odd kernels.
const std::vector<GroupCase> kGroupCases = {
    {{.padding = 1, .groups = 2}, {2, 32, 8, 8}, {32, 16, 3, 3}},
    {{.padding = 1, .groups = 3}, {1, 12, 11, 4}, {48, 4, 3, 3}},
    {{.padding = 2, .groups = 2}, {2, 16, 19, 12}, {64, 8, 5, 5}},
    {{.padding = 0, .groups = 2}, {2, 16, 3, 4}, {32, 8, 1, 1}},
    {{.padding = 1, .transposed = true, .groups = 2}, {2, 32, 8, 8}, {32, 16, 3, 3}},
    {{.padding = 2, .transposed = true, .groups = 3}, {1, 24, 9, 4}, {24, 32, 5, 5}},
};

/// Returns the convolution by LibTorch, in float64.
at::Tensor by_libtorch(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& how) {
  const auto wide = x.to(at::kDouble);
  if (how.transposed)
    return at::conv_transpose2d(wide, weight, {}, 1, how.padding, /*output_padding=*/0, how.groups);
  return at::conv2d(wide, weight, {}, 1, how.padding, /*dilation=*/1, how.groups);
}

TEST(NarrowGroups, ConvolvesLikeLibtorch) {
  for (const GroupCase& one : kGroupCases) {
    const auto x = channels_last(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5);
    if (!takes_narrow_groups(x, weight, one.options)) GTEST_SKIP() << "this CPU has no AVX2";
    const auto y = convolve_narrow_groups(x, weight.to(at::kFloat), one.options);
    const auto expected = by_libtorch(x, weight, one.options);
    EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(at::allclose(y.to(at::kDouble), expected, 1e-5, 1e-5)) << one.x;
  }
}

TEST(NarrowGroups, HasTheWeightGradientOfLibtorch) {
  for (const GroupCase& one : kGroupCases) {
    const auto x = channels_last(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5).requires_grad_();
    if (!takes_narrow_groups(x, weight, one.options)) GTEST_SKIP() << "this CPU has no AVX2";
    const auto y = by_libtorch(x, weight, one.options);
    const auto gradient = fixed_numbers(y.sizes().vec(), 0.3);
    const auto expected = torch::autograd::grad({y}, {weight}, {gradient}).front();
    const auto computed = narrow_groups_weight_gradient(
        x, gradient.to(at::kFloat), weight.detach().to(at::kFloat), one.options);
    EXPECT_TRUE(at::allclose(computed.to(at::kDouble), expected, 1e-5, 1e-4)) << one.x;
  }
}

TEST(NarrowGroups, LeavesOthersToLibtorch) {
  const auto weight = at::zeros({32, 16, 3, 3});
  const Convolution2d options{.padding = 1, .groups = 2};
  const auto takes = [&](const at::Tensor& x, const at::Tensor& w, const Convolution2d& how) {
    return takes_narrow_groups(x, w, how);
  };
  const auto x = channels_last({2, 32, 8, 8}, 0.1);
  EXPECT_FALSE(takes(x.contiguous(), weight, options)) << "not channels last";
  EXPECT_FALSE(takes(x.to(at::kDouble), weight, options)) << "float64";
  EXPECT_FALSE(takes(x, weight, {.padding = 0, .groups = 2})) << "a smaller result";
  EXPECT_FALSE(takes(x, weight, {.stride = 2, .padding = 1, .groups = 2})) << "a stride";
  EXPECT_FALSE(takes(x, at::zeros({8, 16, 3, 3}), options)) << "four outputs a group";
  EXPECT_FALSE(takes(x, at::zeros({32, 32, 3, 3}), {.padding = 1})) << "one group";
  EXPECT_FALSE(takes(channels_last({2, 32, 8, 6}, 0.1), weight, options)) << "six columns";
}

TEST(NarrowGroups, DoNotDependOnTheNumberOfThreads) {
  const GroupCase& one = kGroupCases.front();
  const auto x = channels_last(one.x, 0.1);
  const auto weight = fixed_numbers(one.weight, 0.5).to(at::kFloat);
  if (!takes_narrow_groups(x, weight, one.options)) GTEST_SKIP() << "this CPU has no AVX2";
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto y = convolve_narrow_groups(x, weight, one.options);
  const auto gradient = narrow_groups_weight_gradient(x, y, weight, one.options);
  at::set_num_threads(3);
  EXPECT_TRUE(convolve_narrow_groups(x, weight, one.options).equal(y));
  EXPECT_TRUE(narrow_groups_weight_gradient(x, y, weight, one.options).equal(gradient));
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace ganscale::kernels
