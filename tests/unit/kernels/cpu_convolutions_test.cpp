#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "kernels/convolution/convolution.h"
#include "kernels/convolution/narrow_groups.h"
#include "kernels/convolution/scaled_convolution.h"
#include "kernels/convolution/tiles.h"
#include "kernels/convolution/vectors.h"
#include "kernels/convolution/winograd.h"
#include "support/check_gradients.h"

namespace ganscale::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

at::Tensor channels_last(const Sizes& shape, double phase) {
  return fixed_numbers(shape, phase).to(at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
}

struct LaidOutCase {
  Convolution2d options;
  Sizes x;
  Sizes weight;
};

/// One of our implementations of convolutions on a CPU.
struct Implementation {
  bool (*takes)(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);
  at::Tensor (*convolve)(const at::Tensor& x, const at::Tensor& weight,
                         const Convolution2d& options);
  at::Tensor (*weight_gradient)(const at::Tensor& x, const at::Tensor& gradient,
                                const at::Tensor& weight, const Convolution2d& options);
  std::vector<LaidOutCase> cases;
};

// Whole bands of rows and parts of one; one and several blocks of channels; odd kernels; rows for
// the widest vectors and for others.
const Implementation kNarrowGroups = {
    narrow_groups::takes,
    narrow_groups::convolve,
    narrow_groups::weight_gradient,
    {{{.padding = 1, .groups = 2}, {2, 32, 8, 8}, {32, 16, 3, 3}},
     {{.padding = 1, .groups = 3}, {1, 12, 11, 4}, {48, 4, 3, 3}},
     {{.padding = 2, .groups = 2}, {2, 16, 19, 12}, {64, 8, 5, 5}},
     {{.padding = 0, .groups = 2}, {2, 16, 3, 4}, {32, 8, 1, 1}},
     {{.padding = 1, .transposed = true, .groups = 2}, {2, 32, 8, 8}, {32, 16, 3, 3}},
     {{.padding = 2, .transposed = true, .groups = 3}, {1, 24, 9, 4}, {24, 32, 5, 5}}}};

// Each padding; one and several panels of channels; blocks that are full and others, of which some
// lie in two images.
const Implementation kWinogradConvolutions = {
    winograd::takes,
    winograd::convolve,
    winograd::weight_gradient,
    {{{.padding = 1}, {2, 32, 8, 8}, {32, 32, 3, 3}},
     {{.padding = 1}, {3, 64, 18, 14}, {96, 64, 3, 3}},
     {{.padding = 0}, {1, 96, 12, 20}, {32, 96, 3, 3}},
     {{.padding = 2}, {3, 32, 8, 12}, {64, 32, 3, 3}},
     {{.padding = 1}, {2, 256, 16, 8}, {256, 256, 3, 3}},
     {{.padding = 1, .transposed = true}, {2, 64, 8, 10}, {64, 32, 3, 3}},
     {{.padding = 0, .transposed = true}, {2, 32, 6, 10}, {32, 64, 3, 3}},
     {{.padding = 2, .transposed = true}, {1, 32, 14, 10}, {32, 32, 3, 3}}}};

class CpuConvolution : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  }
};

/// Returns the convolution by LibTorch, in float64.
at::Tensor by_libtorch(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& how) {
  const auto wide = x.to(at::kDouble);
  if (how.transposed)
    return at::conv_transpose2d(wide, weight, {}, 1, how.padding, /*output_padding=*/0, how.groups);
  return at::conv2d(wide, weight, {}, 1, how.padding, /*dilation=*/1, how.groups);
}

/// Returns the largest difference, as a share of the largest number.
double error_of(const at::Tensor& computed, const at::Tensor& expected) {
  return (computed.to(at::kDouble) - expected).abs().max().item<double>() /
         expected.abs().max().item<double>();
}

/// Returns the weight in another layout in memory.
at::Tensor laid_out_otherwise(const at::Tensor& weight) {
  return weight.permute({3, 0, 2, 1}).contiguous().permute({1, 3, 2, 0});
}

TEST_P(CpuConvolution, ConvolvesLikeLibtorch) {
  for (const LaidOutCase& one : GetParam().cases) {
    const auto x = channels_last(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5);
    ASSERT_TRUE(GetParam().takes(x, weight.to(at::kFloat), one.options)) << one.x;
    const auto expected = by_libtorch(x, weight, one.options);
    const auto narrow = weight.to(at::kFloat);
    const auto y = GetParam().convolve(x, narrow, one.options);
    EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_LT(error_of(y, expected), 1e-6) << one.x;
    EXPECT_TRUE(GetParam().convolve(x, laid_out_otherwise(narrow), one.options).equal(y)) << one.x;
  }
}

TEST_P(CpuConvolution, HasTheWeightGradientOfLibtorch) {
  for (const LaidOutCase& one : GetParam().cases) {
    const auto x = channels_last(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5).requires_grad_();
    const auto y = by_libtorch(x, weight, one.options);
    const auto gradient = fixed_numbers(y.sizes().vec(), 0.3);
    const auto expected = torch::autograd::grad({y}, {weight}, {gradient}).front();
    const auto computed = GetParam().weight_gradient(x, gradient.to(at::kFloat),
                                                     weight.detach().to(at::kFloat), one.options);
    EXPECT_LT(error_of(computed, expected), 2e-6) << one.x;
  }
}

TEST_P(CpuConvolution, DoesNotDependOnTheNumberOfThreads) {
  const Implementation& implementation = GetParam();
  for (const LaidOutCase& one : implementation.cases) {
    const auto x = channels_last(one.x, 0.1);
    const auto weight = fixed_numbers(one.weight, 0.5).to(at::kFloat);
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    const auto y = implementation.convolve(x, weight, one.options);
    const auto gradient = implementation.weight_gradient(x, y, weight, one.options);
    at::set_num_threads(3);
    EXPECT_TRUE(implementation.convolve(x, weight, one.options).equal(y)) << one.x;
    EXPECT_TRUE(implementation.weight_gradient(x, y, weight, one.options).equal(gradient)) << one.x;
    at::set_num_threads(threads);
  }
}

INSTANTIATE_TEST_SUITE_P(NarrowGroups, CpuConvolution, testing::Values(kNarrowGroups));
INSTANTIATE_TEST_SUITE_P(Winograd, CpuConvolution, testing::Values(kWinogradConvolutions));

TEST(NarrowGroups, LeavesOthersToLibtorch) {
  const auto weight = at::zeros({32, 16, 3, 3});
  const Convolution2d options{.padding = 1, .groups = 2};
  using narrow_groups::takes;
  const auto x = channels_last({2, 32, 8, 8}, 0.1);
  EXPECT_FALSE(takes(x.contiguous(), weight, options)) << "not channels last";
  EXPECT_FALSE(takes(x.to(at::kDouble), weight, options)) << "float64";
  EXPECT_FALSE(takes(x, weight, {.padding = 0, .groups = 2})) << "a smaller result";
  EXPECT_FALSE(takes(x, weight, {.stride = 2, .padding = 1, .groups = 2})) << "a stride";
  EXPECT_FALSE(takes(x, at::zeros({8, 16, 3, 3}), options)) << "four outputs a group";
  EXPECT_FALSE(takes(x, at::zeros({32, 32, 3, 3}), {.padding = 1})) << "one group";
  EXPECT_FALSE(takes(channels_last({2, 32, 8, 6}, 0.1), weight, options)) << "six columns";
}

TEST(Winograd, LeavesOthersToLibtorch) {
  const auto weight = at::zeros({32, 32, 3, 3});
  const Convolution2d options{.padding = 1};
  using winograd::takes;
  const auto x = channels_last({2, 32, 8, 8}, 0.1);
  EXPECT_FALSE(takes(x.contiguous(), weight, options)) << "not channels last";
  EXPECT_FALSE(takes(x.to(at::kDouble), weight, options)) << "float64";
  EXPECT_FALSE(takes(x, weight, {.stride = 2, .padding = 1})) << "a stride";
  EXPECT_FALSE(takes(x, weight, {.padding = 3})) << "a result that is larger by four";
  EXPECT_FALSE(takes(x, at::zeros({32, 32, 5, 5}), options)) << "a kernel of 5x5";
  EXPECT_FALSE(takes(x, at::zeros({32, 16, 3, 3}), {.padding = 1, .groups = 2})) << "groups";
  EXPECT_FALSE(takes(x, at::zeros({48, 32, 3, 3}), options)) << "48 outputs";
  EXPECT_FALSE(takes(channels_last({2, 48, 8, 8}, 0.1), at::zeros({32, 48, 3, 3}), options))
      << "48 inputs";
  EXPECT_FALSE(takes(channels_last({2, 32, 9, 8}, 0.1), weight, options)) << "nine rows";
  EXPECT_FALSE(takes(channels_last({2, 32, 6, 8}, 0.1), weight, options)) << "48 pixels";
  EXPECT_FALSE(takes(channels_last({0, 32, 8, 8}, 0.1), weight, options)) << "no image";
  EXPECT_FALSE(takes(channels_last({2, 64, 8, 8}, 0.1), weight, options)) << "64 channels of x";
}

struct ScaledCase {
  Scaling scaling;
  Sizes x;
  Sizes weight;
};

const std::vector<ScaledCase> kScaledCases = {
    {Scaling::kDouble, {2, 32, 4, 4}, {32, 32, 3, 3}},
    {Scaling::kDouble, {3, 64, 7, 10}, {96, 64, 3, 3}},
    {Scaling::kSum, {2, 32, 16, 16}, {32, 32, 3, 3}},
    {Scaling::kSum, {3, 96, 18, 20}, {64, 96, 3, 3}},
};

/// Returns the same by LibTorch.
at::Tensor scaled_by_libtorch(const at::Tensor& x, const at::Tensor& weight, Scaling scaling) {
  if (scaling == Scaling::kSum) return at::avg_pool2d(at::conv2d(x, weight, {}, 1, 1), {2, 2}) * 4;
  return at::conv2d(x.repeat_interleave(2, 2).repeat_interleave(2, 3), weight, {}, 1, 1);
}

using Convolve = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight)>;

/// Returns the results of a convolution with the gradients of x and weight, and those of a sum of
/// squares of the latter: two derivatives. The gradient of the results is the same for all images.
Tensors with_two_derivatives(const Convolve& convolve, const Sizes& x_sizes,
                             const Sizes& weight_sizes, at::ScalarType dtype) {
  const auto x = channels_last(x_sizes, 0.1).to(dtype).requires_grad_();
  const auto weight = fixed_numbers(weight_sizes, 0.5).to(dtype).requires_grad_();
  const auto y = convolve(x, weight);
  const auto one = fixed_numbers({1, y.size(1), y.size(2), y.size(3)}, 0.3).to(dtype);
  const auto gradient = one.requires_grad_().expand_as(y);
  const auto first = torch::autograd::grad({y}, {x, weight}, {gradient}, /*retain_graph=*/true,
                                           /*create_graph=*/true);
  const auto penalty = first[0].square().sum() + first[1].square().mean();
  const auto second = torch::autograd::grad({penalty}, {x, weight, one});
  return {y.detach(), first[0].detach(), first[1].detach(), second[0], second[1], second[2]};
}

void expect_near(const Tensors& computed, const Tensors& expected, const Sizes& sizes) {
  ASSERT_EQ(computed.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT(error_of(computed[i], expected[i]), 3e-6) << sizes << ", tensor " << i;
}

TEST(Winograd, HasTwoDerivatives) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  for (const LaidOutCase& one : kWinogradConvolutions.cases) {
    const auto x = channels_last(one.x, 0.1);
    ASSERT_TRUE(has_kernel(x, at::zeros(one.weight), one.options)) << one.x;
    const Convolve ours = [&](const at::Tensor& a, const at::Tensor& weight) {
      return convolution2d(a, weight, one.options);
    };
    const Convolve libtorch = [&](const at::Tensor& a, const at::Tensor& weight) {
      return by_libtorch(a, weight, one.options);
    };
    expect_near(with_two_derivatives(ours, one.x, one.weight, at::kFloat),
                with_two_derivatives(libtorch, one.x, one.weight, at::kDouble), one.x);
  }
}

/// Returns the names of the operators that LibTorch records during the call.
std::vector<std::string> operators_of(const std::function<void()>& call) {
  static std::vector<std::string> names;
  names.clear();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(
      [](const at::RecordFunction& of) -> std::unique_ptr<at::ObserverContext> {
        names.emplace_back(of.name());
        return nullptr;
      }));
  call();
  at::removeCallback(handle);
  return names;
}

TEST_P(CpuConvolution, IsRecordedForProfiles) {
  const LaidOutCase& one = GetParam().cases.front();
  const auto x = channels_last(one.x, 0.1);
  const auto weight = fixed_numbers(one.weight, 0.5).to(at::kFloat);
  at::Tensor y;
  const auto forward = operators_of([&] { y = GetParam().convolve(x, weight, one.options); });
  EXPECT_EQ(std::ranges::count(forward, "ganscale::convolution2d"), 1);
  const auto backward =
      operators_of([&] { GetParam().weight_gradient(x, y, weight, one.options); });
  EXPECT_EQ(std::ranges::count(backward, "ganscale::convolution2d_weight"), 1);
}

Convolve ours_of(const ScaledCase& one) {
  return [&one](const at::Tensor& x, const at::Tensor& weight) {
    return scaled_convolution2d(x, weight, one.scaling);
  };
}

TEST(ScaledConvolution, HasTheResultsAndTwoDerivativesOfLibtorch) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  for (const ScaledCase& one : kScaledCases) {
    const auto x = channels_last(one.x, 0.1);
    ASSERT_TRUE(has_scaled_kernel(x, at::zeros(one.weight), one.scaling)) << one.x;
    const auto computed = with_two_derivatives(ours_of(one), one.x, one.weight, at::kFloat);
    EXPECT_TRUE(computed[0].is_contiguous(at::MemoryFormat::ChannelsLast));
    const Convolve libtorch = [&](const at::Tensor& a, const at::Tensor& weight) {
      return scaled_by_libtorch(a, weight, one.scaling);
    };
    expect_near(computed, with_two_derivatives(libtorch, one.x, one.weight, at::kDouble), one.x);
  }
}

// A network that is not being trained.
TEST(ScaledConvolution, HasTheGradientOfXAlone) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  const ScaledCase& one = kScaledCases.front();
  const auto all = with_two_derivatives(ours_of(one), one.x, one.weight, at::kFloat);
  const auto x = channels_last(one.x, 0.1).requires_grad_();
  const auto y = ours_of(one)(x, fixed_numbers(one.weight, 0.5).to(at::kFloat));
  const auto gradient =
      fixed_numbers({1, y.size(1), y.size(2), y.size(3)}, 0.3).to(at::kFloat).expand_as(y);
  EXPECT_TRUE(torch::autograd::grad({y}, {x}, {gradient}).front().equal(all[1]));
}

TEST(ScaledConvolution, DoesNotDependOnTheNumberOfThreads) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  const int threads = at::get_num_threads();
  for (const ScaledCase& one : kScaledCases) {
    at::set_num_threads(1);
    const auto alone = with_two_derivatives(ours_of(one), one.x, one.weight, at::kFloat);
    at::set_num_threads(3);
    const auto together = with_two_derivatives(ours_of(one), one.x, one.weight, at::kFloat);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(alone[i].equal(together[i])) << one.x << i;
  }
  at::set_num_threads(threads);
}

TEST(ScaledConvolution, RefusesWhatItCannotCompute) {
  const auto weight = at::zeros({32, 32, 3, 3});
  EXPECT_THROW(scaled_convolution2d(channels_last({1, 32, 7, 8}, 0.1), weight, Scaling::kSum),
               std::exception);
  EXPECT_THROW(scaled_convolution2d(channels_last({1, 64, 8, 8}, 0.1), weight, Scaling::kDouble),
               std::exception);
}

TEST(ScaledConvolution, LeavesOthersToLibtorch) {
  const auto weight = at::zeros({32, 32, 3, 3});
  const auto x = channels_last({2, 32, 16, 16}, 0.1);
  EXPECT_FALSE(has_scaled_kernel(x.contiguous(), weight, Scaling::kSum)) << "not channels last";
  EXPECT_FALSE(has_scaled_kernel(x.to(at::kDouble), weight, Scaling::kDouble)) << "float64";
  EXPECT_FALSE(has_scaled_kernel(x, at::zeros({48, 32, 3, 3}), Scaling::kDouble)) << "48 outputs";
  EXPECT_FALSE(has_scaled_kernel(channels_last({2, 32, 17, 16}, 0.1), weight, Scaling::kSum))
      << "17 rows";
  EXPECT_FALSE(has_scaled_kernel(channels_last({2, 32, 8, 8}, 0.1), weight, Scaling::kSum))
      << "16 pixels";
}

/// Transformed numbers of some tiles, or of the weights of a panel.
struct Numbers {
  Numbers(std::int64_t positions, std::int64_t rows)
      : memory(at::zeros({positions, rows, tiles::kPanelChannels})),
        matrices{memory.mutable_data_ptr<float>(), rows, tiles::kPanelChannels,
                 rows * tiles::kPanelChannels} {}

  at::Tensor memory;
  tiles::Matrices matrices;
};

/// Returns what the passes compute from an image of 16x16, a gradient and a weight.
Tensors computed_by(const tiles::Method& method, const tiles::Passes& passes) {
  using namespace tiles;
  constexpr std::int64_t kRows = 8;  // of tiles
  const Shape of{1, kPanelChannels, kPanelChannels, 16, 16, 1, kRows, kRows};
  const at::Tensor x = channels_last({1, kPanelChannels, 16, 16}, 0.1);
  const std::int64_t size = kRows * method.results;
  const at::Tensor gradient = channels_last({1, kPanelChannels, size, size}, 0.2);
  const at::Tensor weight =
      fixed_numbers({kPanelChannels, kPanelChannels, 3, 3}, 0.5).to(at::kFloat);
  const at::Tensor zeros = at::zeros({kPanelChannels});
  const Strides strides{9, 9 * kPanelChannels, 3, 1};
  const Inputs inputs{0, kPanelChannels};
  at::Tensor y = at::empty_like(gradient);
  at::Tensor d_weight = at::empty_like(weight);
  const Numbers weights(method.positions, kPanelChannels);
  const Numbers sums(method.positions, kPanelChannels);
  const Numbers patches(method.positions, of.tiles());
  const Numbers tiles(method.tile_positions, of.tiles());
  const Block block{0, of.tiles(), patches.matrices, tiles.matrices};
  passes.read_weights(weight.const_data_ptr<float>(), strides, inputs, weights.matrices);
  passes.read_patches(of, x.const_data_ptr<float>(), zeros.const_data_ptr<float>(), block);
  passes.multiply(block, weights.matrices);
  passes.write_tiles(of, block, y.mutable_data_ptr<float>());
  passes.read_gradients(of, gradient.const_data_ptr<float>(), block);
  for (std::int64_t position = 0; position < method.positions; ++position)
    passes.add_products(block, position, inputs, sums.matrices);
  passes.write_weights(sums.matrices, inputs, d_weight.mutable_data_ptr<float>(), strides);
  return {y, d_weight};
}

TEST(Tiles, AreTheSameWithAvx2AndAvx512) {
  if (!has_avx512()) GTEST_SKIP() << "this CPU has no AVX-512";
  for (const tiles::Method* method : {&tiles::kWinograd, &tiles::kDoubled, &tiles::kSummed}) {
    const Tensors with_avx2 = computed_by(*method, method->avx2);
    const Tensors with_avx512 = computed_by(*method, method->avx512);
    EXPECT_GT(with_avx2[0].abs().max().item<float>(), 0);
    EXPECT_TRUE(with_avx2[0].equal(with_avx512[0]));
    EXPECT_TRUE(with_avx2[1].equal(with_avx512[1]));
  }
}

}  // namespace
}  // namespace ganscale::kernels
