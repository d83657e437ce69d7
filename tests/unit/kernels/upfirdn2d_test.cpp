#include "kernels/upfirdn2d/upfirdn2d.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "support/upfirdn2d_cases.h"

namespace ganscale::kernels {
namespace {

constexpr const char* kFixture = "fixtures/stylegan2_ops.safetensors";

/// The definition, step by step: insert zeros, pad, filter, keep every down-th.
at::Tensor by_definition(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options) {
  const auto N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
  auto y = x.reshape({N * C, 1, H, 1, W, 1});
  y = at::constant_pad_nd(y, {0, options.up_x - 1, 0, 0, 0, options.up_y - 1});
  y = y.reshape({N * C, 1, H * options.up_y, W * options.up_x});
  y = at::constant_pad_nd(
      y, {options.pad_left, options.pad_right, options.pad_top, options.pad_bottom});
  auto taps = filter.dim() == 1 ? filter.outer(filter) : filter;
  if (!options.flip_filter) taps = taps.flip({0, 1});
  y = at::conv2d(y, taps.unsqueeze(0).unsqueeze(0)) * options.gain;
  y = y.slice(2, 0, y.size(2), options.down_y).slice(3, 0, y.size(3), options.down_x);
  return y.reshape({N, C, y.size(2), y.size(3)});
}

/// [K] and [Ky, Kx], separable and not, one with a line of zeros, one that is all zero.
std::vector<at::Tensor> filters() {
  auto holed = at::randn({3, 5}, at::kDouble);
  holed[1].zero_();
  return {at::randn({4}, at::kDouble),
          at::randn({3}, at::kDouble).outer(at::randn({5}, at::kDouble)),
          at::randn({5, 4}, at::kDouble),
          at::ones({1, 1}, at::kDouble),
          holed,
          at::zeros({3, 3}, at::kDouble)};
}

at::Tensor image(std::vector<std::int64_t> shape = {2, 3, 13, 11}) {
  return at::randn(shape, at::kDouble);
}

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

at::Tensor gradient(const at::Tensor& of, const at::Tensor& in) {
  return torch::autograd::grad({of}, {in}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
}

TEST(Upfirdn2d, IsItsDefinition) {
  for (const auto& options : upfirdn2d_cases()) {
    for (const auto& filter : filters()) {
      const auto x = image();
      const auto expected = by_definition(x, filter, options);
      const auto ours = upfirdn2d(x, filter, options);
      ASSERT_EQ(ours.sizes(), expected.sizes());
      EXPECT_LT(largest(ours - expected), 1e-12);
    }
  }
}

TEST(Upfirdn2d, KeepsChannelsLast) {
  const auto x = image({2, 9, 13, 11}).contiguous(at::MemoryFormat::ChannelsLast);
  for (const auto& options : upfirdn2d_cases()) {
    for (const auto& filter : filters()) {
      const auto ours = upfirdn2d(x, filter, options);
      EXPECT_TRUE(ours.is_contiguous(at::MemoryFormat::ChannelsLast));
      EXPECT_LT(largest(ours - by_definition(x, filter, options)), 1e-12);
    }
  }
}

TEST(Upfirdn2d, LeavesPlanesOfFewChannels) {
  for (const auto device : {at::kCPU, at::kMeta}) {
    const auto x =
        at::empty({2, 3, 8, 8}, at::TensorOptions(device), at::MemoryFormat::ChannelsLast);
    EXPECT_TRUE(upfirdn2d(x, at::empty({4, 4}, device), {}).is_contiguous());
  }
}

TEST(Upfirdn2d, TakesImagesOfOnePixelAndAnyStrides) {
  const auto filter = at::randn({4, 4}, at::kDouble);
  const Upfirdn options{
      .up_x = 2, .up_y = 2, .pad_left = 2, .pad_right = 2, .pad_top = 2, .pad_bottom = 2};
  for (const auto& x : {image({1, 1, 1, 1}), image({3, 1, 1, 7}), image().transpose(2, 3),
                        image().contiguous(at::MemoryFormat::ChannelsLast),
                        image({4, 2, 6, 10}).slice(3, 1, 10, 3)}) {
    EXPECT_LT(largest(upfirdn2d(x, filter, options) - by_definition(x, filter, options)), 1e-12);
  }
}

TEST(Upfirdn2d, InFloatEqualsDoubleUpToRounding) {
  const auto x = image();
  for (const auto& filter : filters()) {
    const auto narrow = upfirdn2d(x.to(at::kFloat), filter.to(at::kFloat), {.up_x = 2, .up_y = 2});
    EXPECT_EQ(narrow.scalar_type(), at::kFloat);
    EXPECT_LT(largest(narrow - upfirdn2d(x, filter, {.up_x = 2, .up_y = 2})), 1e-5);
  }
}

TEST(Upfirdn2d, KeepsLowPrecision) {
  const auto x = at::ones({1, 1, 4, 4}, at::kBFloat16);
  const auto filter = setup_filter({1, 2, 1});
  const auto y = upfirdn2d(x, filter, {});
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(y.equal(at::ones({1, 1, 2, 2}, at::kBFloat16)));
}

// A is linear: its first gradient is A^T, whose own gradient is A again.
TEST(Upfirdn2d, HasTheGradientsOfItsDefinitionUpToTheThirdOrder) {
  for (const auto& options : upfirdn2d_cases()) {
    for (const auto& filter : filters()) {
      const auto x = image({1, 2, 13, 11}).requires_grad_();
      const auto weight = image({1, 2, 13, 11});
      const auto gradients = [&](const at::Tensor& y) {
        const auto first = gradient(y.sin().sum(), x);
        const auto second = gradient((first.sin() * weight).sum(), x);
        return std::vector<at::Tensor>{first, second, gradient((second * weight).sum(), x)};
      };
      const auto expected = gradients(by_definition(x, filter, options));
      const auto ours = gradients(upfirdn2d(x, filter, options));
      for (std::size_t order = 0; order < 3; ++order) {
        const double scale = 1 + largest(expected[order]);
        EXPECT_LT(largest(ours[order] - expected[order]) / scale, 1e-11) << "order " << order + 1;
      }
    }
  }
}

TEST(WithUpfirdn2d, HasTheGradientsOfBothUpToTheThirdOrder) {
  const auto filter = at::randn({4, 4}, at::kDouble);
  for (const auto& options : upfirdn2d_cases()) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const auto x = image({1, 8, 13, 11}).contiguous(format).requires_grad_();
      const auto weight = image({1, 8, 13, 11});
      const auto gradients = [&](const WithResampled& both) {
        const auto first = gradient(both.x.sin().sum() + both.resampled.cos().sum(), x);
        const auto second = gradient((first.sin() * weight).sum(), x);
        return std::vector<at::Tensor>{both.resampled, first, second,
                                       gradient((second * weight).sum(), x)};
      };
      const auto expected = gradients({x, upfirdn2d(x, filter, options)});
      const auto ours = gradients(with_upfirdn2d(x, filter, options));
      for (std::size_t order = 0; order < expected.size(); ++order) {
        const double scale = 1 + largest(expected[order]);
        EXPECT_LT(largest(ours[order] - expected[order]) / scale, 1e-13) << "order " << order;
      }
    }
  }
}

TEST(WithUpfirdn2d, HasTheGradientOfWhatIsUsed) {
  const auto filter = at::randn({4, 4}, at::kDouble);
  const auto x = image().requires_grad_();
  const Upfirdn options{.down_x = 2, .down_y = 2};
  const auto both = with_upfirdn2d(x, filter, options);
  EXPECT_TRUE(gradient(both.x.sum(), x).equal(at::ones_like(x)));
  EXPECT_TRUE(
      gradient(both.resampled.sum(), x).equal(gradient(upfirdn2d(x, filter, options).sum(), x)));
}

TEST(Upfirdn2d, HasTheGradientOfFiniteDifferences) {
  const auto x = image({1, 1, 5, 4}).requires_grad_();
  const auto filter = at::randn({3, 4}, at::kDouble);
  const Upfirdn options{
      .up_x = 2, .down_y = 2, .pad_left = 1, .pad_right = 3, .pad_top = 2, .gain = 3};
  const auto loss = [&](const at::Tensor& at) {
    return upfirdn2d(at, filter, options).pow(3).sum();
  };
  const auto slope = gradient(loss(x), x).flatten();
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const auto step = at::zeros({x.numel()}, at::kDouble).index_fill_(0, at::tensor({i}), 1e-6);
    const auto shift = step.reshape(x.sizes());
    const double numeric = (loss(x + shift) - loss(x - shift)).item<double>() / 2e-6;
    EXPECT_NEAR(slope[i].item<double>(), numeric, 1e-5 * (1 + std::abs(numeric)));
  }
}

TEST(Upfirdn2d, RefusesEmptyBatchesAndWrongRanks) {
  const auto filter = at::ones({2, 2});
  expect_error(ExitCode::kBug, "x must not be empty: x [0, 3, 4, 4]",
               [&] { upfirdn2d(at::ones({0, 3, 4, 4}), filter, {}); });
  expect_error(ExitCode::kBug, "x must be [N, C, H, W]: x [3, 4, 4]",
               [&] { upfirdn2d(at::ones({3, 4, 4}), filter, {}); });
  expect_error(ExitCode::kBug, "a filter is [K] or [Ky, Kx]",
               [&] { upfirdn2d(at::ones({1, 3, 4, 4}), at::ones({1, 2, 2}), {}); });
  expect_error(ExitCode::kBug, "the padded image is smaller than the filter",
               [&] { upfirdn2d(at::ones({1, 3, 4, 4}), filter, {.pad_left = -3}); });
  expect_error(ExitCode::kBug, "up and down must be at least 1",
               [&] { upfirdn2d(at::ones({1, 3, 4, 4}), filter, {.up_x = 0}); });
  expect_error(ExitCode::kBug, "no gradient for its filter",
               [&] { upfirdn2d(at::ones({1, 3, 4, 4}), at::ones({2, 2}).requires_grad_(), {}); });
}

TEST(Upsample2d, KeepsBrightnessInside) {
  const auto y = upsample2d(at::full({1, 1, 6, 6}, 3.0F), setup_filter({1, 3, 3, 1}));
  ASSERT_EQ(y.sizes(), (std::vector<std::int64_t>{1, 1, 12, 12}));
  EXPECT_TRUE(y.slice(2, 1, 11).slice(3, 1, 11).allclose(at::full({10, 10}, 3.0F)));
}

TEST(Downsample2d, OfTheBoxFilterIsTheMeanOfFour) {
  const auto x = image({2, 3, 8, 6});
  const auto y = downsample2d(x, setup_filter({1, 1}, at::kDouble));
  EXPECT_LT(largest(y - at::avg_pool2d(x, {2, 2})), 1e-14);
}

TEST(SetupFilter, HasTheSumOne) {
  EXPECT_TRUE(setup_filter({1, 1}).equal(at::full({2, 2}, 0.25F)));
  EXPECT_TRUE(
      setup_filter({1, 2, 1}, at::kDouble)[0].equal(at::tensor({1., 2., 1.}, at::kDouble) / 16));
  EXPECT_TRUE(setup_filter({1, 1, 1, 1, 1, 1, 1, 1}).equal(at::full({8}, 0.125F)));
}

/// Compares every stored result of the reference implementation whose name begins with `prefix`.
template <class Compute>
void compare_stored(const std::string& prefix, Compute compute) {
  const auto file = shared_file(kFixture);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kFixture;
  const auto stored = checkpoint::read_safetensors(*file).tensors;
  const auto& x = stored.at("upfirdn2d.x");
  const auto ours = compute(x, stored.at("filter_1331"));
  const auto& expected = stored.at(prefix);
  ASSERT_EQ(ours.sizes(), expected.sizes());
  EXPECT_LT(largest(ours - expected), 1e-9 * largest(expected));
}

TEST(Upfirdn2d, UpsamplingMatchesTheReference) {
  compare_stored("upfirdn2d.up2.down1.pad2_1_2_1.gain4.flip0",
                 [](const auto& x, const auto& filter) {
                   return upfirdn2d(x, filter,
                                    {.up_x = 2,
                                     .up_y = 2,
                                     .pad_left = 2,
                                     .pad_right = 1,
                                     .pad_top = 2,
                                     .pad_bottom = 1,
                                     .gain = 4});
                 });
  compare_stored("upsample2d", [](const auto& x, const auto& f) { return upsample2d(x, f); });
}

TEST(Upfirdn2d, DownsamplingMatchesTheReference) {
  compare_stored("upfirdn2d.up1.down2.pad1_1_1_1.gain1.flip0", [](const auto& x,
                                                                  const auto& filter) {
    return upfirdn2d(
        x, filter,
        {.down_x = 2, .down_y = 2, .pad_left = 1, .pad_right = 1, .pad_top = 1, .pad_bottom = 1});
  });
  compare_stored("downsample2d", [](const auto& x, const auto& f) { return downsample2d(x, f); });
}

// Their paddings are left, right, top, bottom.
TEST(Upfirdn2d, CropsAndFlipsAsTheReference) {
  compare_stored("upfirdn2d.up1.down1.pad-1_2_0_-1.gain1.flip0",
                 [](const auto& x, const auto& filter) {
                   return upfirdn2d(x, filter, {.pad_left = -1, .pad_right = 2, .pad_bottom = -1});
                 });
  compare_stored("upfirdn2d.up2.down2.pad3_2_1_0.gain2.flip1",
                 [](const auto& x, const auto& filter) {
                   return upfirdn2d(x, filter,
                                    {.up_x = 2,
                                     .up_y = 2,
                                     .down_x = 2,
                                     .down_y = 2,
                                     .pad_left = 3,
                                     .pad_right = 2,
                                     .pad_top = 1,
                                     .gain = 2,
                                     .flip_filter = true});
                 });
}

}  // namespace
}  // namespace ganscale::kernels
