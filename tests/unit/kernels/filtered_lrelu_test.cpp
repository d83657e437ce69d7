#include "kernels/filtered_lrelu/filtered_lrelu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/upfirdn2d/upfirdn2d.h"
#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

/// The definition, step by step.
at::Tensor by_definition(const at::Tensor& x, const at::Tensor& bias, const UpDownFilters& filters,
                         const FilteredLrelu& o) {
  const at::Tensor one = at::ones({1}, at::kDouble);
  const at::Tensor fine =
      upfirdn2d(x + bias.view({1, -1, 1, 1}), filters.up.defined() ? filters.up : one,
                {.up_x = o.up,
                 .up_y = o.up,
                 .pad_left = o.pad_left,
                 .pad_right = o.pad_right,
                 .pad_top = o.pad_top,
                 .pad_bottom = o.pad_bottom,
                 .gain = static_cast<double>(o.up * o.up),
                 .flip_filter = o.flip_filters});
  at::Tensor y = at::leaky_relu(fine, o.slope) * o.gain;
  if (o.clamp) y = y.clamp(-*o.clamp, *o.clamp);
  return upfirdn2d(y, filters.down.defined() ? filters.down : one,
                   {.down_x = o.down, .down_y = o.down, .flip_filter = o.flip_filters});
}

struct Case {
  UpDownFilters filters;
  FilteredLrelu options;
};

std::vector<Case> cases() {
  const at::Tensor line = fixed_numbers({6}, 0.4);
  const at::Tensor plane = fixed_numbers({4, 3}, 0.9);
  return {
      {{}, {.slope = 1, .clamp = 0.6}},
      {{}, {.slope = 0}},
      {{line, {}}, {.up = 2, .pad_left = 3, .pad_right = 2, .pad_top = 2, .pad_bottom = 3}},
      {{line, line},
       {.up = 4,
        .down = 2,
        .pad_left = -1,
        .pad_right = 6,
        .pad_top = 5,
        .pad_bottom = -2,
        .gain = std::sqrt(2.0),
        .clamp = 0.9,
        .flip_filters = true}},
      {{{}, plane}, {.down = 2, .pad_top = 3, .pad_bottom = 1, .slope = 0.5, .clamp = 0.2}},
  };
}

TEST(FilteredLrelu, IsItsDefinition) {
  const at::Tensor x = fixed_numbers({2, 9, 7, 6}, 0);
  const at::Tensor bias = fixed_numbers({9}, 1) * 0.1;
  for (const auto& [filters, options] : cases()) {
    const at::Tensor expected = by_definition(x, bias, filters, options);
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const at::Tensor y = filtered_lrelu(x.contiguous(format), bias, filters, options);
      EXPECT_TRUE(at::allclose(y, expected, 1e-12, 1e-13));
    }
    EXPECT_TRUE(at::allclose(filtered_lrelu(x, {}, filters, options),
                             by_definition(x, at::zeros_like(bias), filters, options), 1e-12,
                             1e-13));
  }
}

TEST(FilteredLrelu, HasTwoDerivatives) {
  for (const auto& [filters, options] : cases()) {
    expect_two_derivatives(
        [&](const Tensors& in) { return filtered_lrelu(in[0], in[1], filters, options); },
        {fixed_numbers({2, 2, 5, 4}, 0.2), fixed_numbers({2}, 1) * 0.1});
  }
}

// The gradient may lie in memory otherwise than the image did.
TEST(FilteredLrelu, TakesGradientsOfAnyLayout) {
  const auto [filters, options] = cases().back();
  const at::Tensor x = fixed_numbers({2, 9, 7, 6}, 0);
  const auto gradient_of = [&](at::MemoryFormat image, at::MemoryFormat gradient) {
    const at::Tensor leaf = x.clone(image).requires_grad_();
    const at::Tensor y = filtered_lrelu(leaf, {}, filters, options);
    y.backward(fixed_numbers(y.sizes(), 0.7).contiguous(gradient));
    return leaf.grad();
  };
  const at::Tensor expected =
      gradient_of(at::MemoryFormat::Contiguous, at::MemoryFormat::Contiguous);
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    EXPECT_TRUE(
        at::allclose(gradient_of(at::MemoryFormat::ChannelsLast, format), expected, 1e-12, 1e-13));
  }
}

TEST(FilteredLrelu, KeepsLowPrecision) {
  const at::Tensor x = fixed_numbers({1, 2, 4, 4}, 0);
  const auto [filters, options] = cases()[2];
  const at::Tensor y = filtered_lrelu(x.to(at::kBFloat16), {}, filters, options);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::allclose(y.to(at::kDouble), filtered_lrelu(x, {}, filters, options), 0.02, 0.05));
}

TEST(FilteredLrelu, LeavesItsInputAsItIs) {
  const at::Tensor x = fixed_numbers({2, 1, 3, 3}, 0);
  const at::Tensor before = x.clone();
  filtered_lrelu(x, {}, {}, {});
  EXPECT_TRUE(x.equal(before));
}

TEST(FilteredLrelu, RefusesWhatItCannotActivate) {
  const at::Tensor x = fixed_numbers({1, 2, 3, 3}, 0);
  expect_error(ExitCode::kBug, "a bias per channel",
               [&] { filtered_lrelu(x, fixed_numbers({3}, 0), {}, {}); });
  expect_error(ExitCode::kBug, "a positive gain", [&] { filtered_lrelu(x, {}, {}, {.gain = 0}); });
  expect_error(ExitCode::kBug, "not none",
               [&] { filtered_lrelu(at::zeros({0, 2, 3, 3}), {}, {}, {}); });
}

}  // namespace
}  // namespace ganscale::kernels
