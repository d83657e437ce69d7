#include "augment/ada.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <numbers>

#include "augment/affine_resample.h"
#include "augment/image_operations.h"
#include "augment/mirrored_padding.h"

namespace ganscale::augment {
namespace {

constexpr ImageRandom kImages{3, 40, 1};

at::Tensor noise(at::IntArrayRef shape = {3, 3, 16, 12}) { return at::randn(shape, at::kDouble); }

/// The wavelet's published digits make it orthogonal to this.
constexpr double kWaveletDigits = 2e-11;

/// Slow waves from -1 to 2. A turned image meets the not quite symmetric wavelet the other way
/// round, which shows in the second digit.
at::Tensor waves(std::int64_t side) {
  const auto x = at::linspace(0, std::numbers::pi, side, at::kDouble);
  return (x.sin().unsqueeze(1) + x.cos()).view({1, 1, side, side});
}

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

TEST(AffineResample, ByTheIdentityReturnsTheImage) {
  const auto x = noise();
  EXPECT_LT(largest(affine_resample(x, std::vector<Affine>(3)) - x), kWaveletDigits);
}

TEST(AffineResample, ByWholePixelsBringsInTheMirroredEdge) {
  const auto x = noise();
  const auto moved = affine_resample(x, std::vector<Affine>(3, {{{{1, 0, -3}, {0, 1, 2}}}}));
  const auto expected = mirrored_padding(x, {.left = 3, .bottom = 2}).slice(2, 2).slice(3, 0, 12);
  EXPECT_LT(largest(moved - expected), kWaveletDigits);
}

TEST(AffineResample, TurnsAndFlips) {
  const auto x = waves(32);
  const auto inside = [](const at::Tensor& y) { return y.slice(2, 4, 28).slice(3, 4, 28); };
  const auto flipped = affine_resample(x, {{{{{-1, 0, 0}, {0, 1, 0}}}}});
  EXPECT_LT(largest(inside(flipped - x.flip(3))), 2e-2);
  const auto turned = affine_resample(x, {{{{{0, -1, 0}, {1, 0, 0}}}}});
  EXPECT_LT(largest(inside(turned - x.rot90(1, {2, 3}))), 2e-2);
}

// In units of pixels, so that a quarter turn of the middle does not stretch it.
TEST(AffineResample, TurnsImagesThatAreNotSquares) {
  const auto x = waves(48).slice(2, 8, 40);
  const auto turned = affine_resample(x, {{{{{0, -1, 0}, {1, 0, 0}}}}});
  EXPECT_EQ(turned.sizes(), at::IntArrayRef({1, 1, 32, 48}));
  const auto middle = [](const at::Tensor& y) { return y.slice(2, 4, 28).slice(3, 12, 36); };
  EXPECT_LT(largest(middle(turned) - middle(x).rot90(1, {2, 3})), 2e-2);
}

TEST(AffineResample, EnlargesAboutTheCenter) {
  const auto x = at::linspace(-31.5, 31.5, 64, at::kDouble).expand({1, 1, 64, 64});
  const auto y = affine_resample(x, {{{{{0.5, 0, 0}, {0, 0.5, 0}}}}});
  EXPECT_LT(largest(y - x / 2), 0.05);  // a ramp of half the slope
}

TEST(Ada, ResultOfAnImageDoesNotDependOnItsBatch) {
  const auto x = noise({6, 3, 16, 12});
  const auto pipeline = ada_pipeline({"bgcfnc"});
  const auto together = augment_ada(x, pipeline, 0.7, kImages, Use::kReals);
  for (int i = 0; i < 6; ++i) {
    const ImageRandom alone{kImages.seed, kImages.first_image + i, 1};
    const auto one = augment_ada(x.slice(0, i, i + 1), pipeline, 0.7, alone, Use::kReals);
    EXPECT_LT(largest(together[i] - one[0]), 1e-12);
  }
  EXPECT_GT(largest(together - x), 0.1);
}

// Autocast rounds the factors of matrix products, as TF32 does on a GPU.
TEST(Ada, PlacesAndColorsPixelsWithoutMatrixProducts) {
  const auto x = noise().to(at::kFloat);
  const auto augment = [&x] {
    return augment_ada(x, ada_pipeline({"bgc"}), 1, kImages, Use::kReals);
  };
  const auto exact = augment();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const auto rounded = augment();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_TRUE(rounded.equal(exact));
}

TEST(Ada, WithProbabilityZeroReturnsTheImages) {
  const auto x = noise();
  EXPECT_TRUE(augment_ada(x, ada_pipeline({"bgcf", "cutout"}), 0, kImages, Use::kReals).equal(x));
}

TEST(Ada, TakesGrayAndTinyImages) {
  for (const auto& shape : {std::vector<std::int64_t>{4, 1, 16, 16}, {4, 3, 4, 4}, {4, 1, 1, 3}}) {
    const auto y = augment_ada(noise(shape), ada_pipeline({"bgcfnc"}), 1, kImages, Use::kReals);
    EXPECT_EQ(y.sizes(), shape);
    EXPECT_TRUE(y.isfinite().all().item<bool>());
  }
}

// The derivative of |dL/dx|^2, which R1 takes, against finite differences of the first gradient.
TEST(Ada, HasSecondDerivatives) {
  const auto pipeline = ada_pipeline({"bgcfnc"});
  const auto weight = noise();
  const auto gradient = [&](const at::Tensor& x, bool keep) {
    const auto y = augment_ada(x, pipeline, 0.8, kImages, Use::kReals);
    return torch::autograd::grad({((y * weight).sin()).sum()}, {x}, {}, keep, keep)[0];
  };
  const auto x = noise().requires_grad_();
  const auto second = torch::autograd::grad({gradient(x, true).square().sum()}, {x})[0];
  const auto direction = noise();
  const auto penalty = [&](double step) {
    const auto at = (x + step * direction).detach().requires_grad_();
    return gradient(at, false).square().sum().item<double>();
  };
  const double numeric = (penalty(1e-5) - penalty(-1e-5)) / 2e-5;
  const double ours = (second * direction).sum().item<double>();
  EXPECT_NEAR(ours, numeric, 1e-5 * std::abs(numeric));
}

// The zigzag of three pixels: 1 0 1 2 1 0 1 2 1 0.
TEST(MirroredPadding, ReflectsBackAndForth) {
  const auto x = at::tensor({0., 1., 2.}, at::kDouble).view({1, 1, 1, 3});
  const auto expected = at::tensor({1., 0., 1., 2., 1., 0., 1., 2., 1., 0.}, at::kDouble);
  EXPECT_TRUE(mirrored_padding(x, {.left = 5, .right = 2}).flatten().equal(expected));
  EXPECT_TRUE(mirrored_padding(x, {.left = 1}).flatten().equal(expected.slice(0, 4, 8)));
}

TEST(AmplifyBands, OfEqualGainsScalesTheImage) {
  const auto x = noise({2, 3, 8, 10});
  EXPECT_LT(largest(amplify_bands(x, {{1, 1, 1, 1}, {1, 1, 1, 1}}) - x), 1e-12);
  const auto y = amplify_bands(x, {{2, 2, 2, 2}, {0, 0, 0, 0}});  // along both axes
  EXPECT_LT(largest(y[0] - 4 * x[0]), 1e-12);
  EXPECT_LT(largest(y[1]), 1e-12);
}

TEST(AmplifyBands, KeepsFlatAreasInTheLowestBandAndStripesInTheHighest) {
  const auto flat = at::ones({1, 1, 8, 8}, at::kDouble);
  EXPECT_LT(largest(amplify_bands(flat, {{1, 0, 0, 0}}) - flat), 1e-12);
  EXPECT_LT(largest(amplify_bands(flat, {{0, 1, 1, 1}})), 1e-12);
  const auto sign = at::tensor({1., -1.}, at::kDouble).repeat({8});
  const auto checkers = sign.outer(sign).slice(0, 0, 9).slice(1, 0, 9).view({1, 1, 9, 9});
  EXPECT_LT(largest(amplify_bands(checkers, {{0, 0, 0, 1}}) - checkers), 1e-12);
}

TEST(CutOut, BlanksHalfOfEachSideAroundItsCenter) {
  const auto y = cut_out(at::ones({2, 1, 8, 4}), {Point{.x = 0.5, .y = 0.25}, std::nullopt});
  const auto expected = at::ones({8, 4});
  expected.slice(0, 0, 4).slice(1, 1, 3).zero_();
  EXPECT_TRUE(y[0][0].equal(expected));
  EXPECT_TRUE(y[1].eq(1).all().item<bool>());
}

TEST(MapColors, KeepsAGrayImageGray) {
  const ColorMap map{{{{1, 2, 3, 0.5}, {0, 1, 0, 0.25}, {1, 1, 0, 0}}}};
  const auto gray = noise({1, 1, 4, 4});
  const auto color = map_colors(gray.expand({1, 3, 4, 4}), {map});
  EXPECT_LT(largest(map_colors(gray, {map}) - color.mean(1, true)), 1e-12);
}

}  // namespace
}  // namespace ganscale::augment
