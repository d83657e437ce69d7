#include "augment/diff_augment.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/expect_error.h"

namespace ganscale::augment {
namespace {

constexpr ImageRandom kAugmentedImages{11, 0, 1};
constexpr std::int64_t kCount = 400;

at::Tensor augment(const at::Tensor& x, const std::string& family) {
  return diff_augment(x, diff_augment_policy({family}), kAugmentedImages, Use::kReals);
}

TEST(DiffAugment, TranslatesByUpToAnEighthEitherWay) {
  // Pixel (y, x) holds 1 + 16 y + x: every moved pixel shows where it was.
  const auto x =
      (at::arange(256, at::kDouble) + 1).view({1, 1, 16, 16}).expand({kCount, 1, 16, 16});
  const auto y = augment(x, "translation");
  const auto moved = y.slice(2, 2, 14).slice(3, 2, 14) - x.slice(2, 2, 14).slice(3, 2, 14);
  const auto shift = moved.flatten(1);
  EXPECT_TRUE(shift.eq(shift.slice(1, 0, 1)).all().item<bool>());  // one shift an image
  std::set<double> seen;
  for (int i = 0; i < kCount; ++i) seen.insert(shift[i][0].item<double>());
  EXPECT_EQ(seen.size(), 25U);  // -2 ... 2 along both axes
  EXPECT_EQ(*seen.begin(), -34);
  EXPECT_EQ(*seen.rbegin(), 34);
}

TEST(DiffAugment, MovesZerosIn) {
  const auto y = augment(at::ones({kCount, 1, 16, 16}), "translation");
  const auto sums = y.sum({1, 2, 3});
  EXPECT_EQ(sums.min().item<float>(), 14 * 14);
  EXPECT_EQ(sums.max().item<float>(), 16 * 16);
}

TEST(DiffAugment, CutsOutARectangleOfHalfEachSide) {
  const auto y = augment(at::ones({kCount, 3, 8, 12}), "cutout");
  const auto zeros = y.eq(0).sum({1, 2, 3});
  EXPECT_EQ(zeros.max().item<std::int64_t>(), 3 * 4 * 6);
  EXPECT_EQ(zeros.min().item<std::int64_t>(), 3 * 2 * 3);  // its center is in the image
}

// Brightness moves the mean by up to 1/2; contrast scales around the mean by 1/2 to 3/2.
TEST(DiffAugment, ChangesBrightnessAndContrast) {
  const auto x = at::tensor({-1., 1.}, at::kDouble).view({1, 1, 1, 2}).expand({kCount, 1, 1, 2});
  const auto y = augment(x, "color").flatten(1);
  const auto mean = y.mean(1);
  const auto contrast = (y.select(1, 1) - y.select(1, 0)) / 2;
  EXPECT_GE(mean.min().item<double>(), -0.5);
  EXPECT_LT(mean.max().item<double>(), 0.5);
  EXPECT_GT(mean.max().item<double>() - mean.min().item<double>(), 0.95);
  EXPECT_GE(contrast.min().item<double>(), 0.5);
  EXPECT_LT(contrast.max().item<double>(), 1.5);
  EXPECT_GT(contrast.max().item<double>() - contrast.min().item<double>(), 0.95);
}

TEST(DiffAugment, ResultOfAnImageDoesNotDependOnItsBatch) {
  const auto policy = diff_augment_policy({"color", "translation", "cutout"});
  const auto x = at::randn({4, 3, 16, 16}, at::kDouble);
  const auto together = diff_augment(x, policy, kAugmentedImages, Use::kReals);
  for (int i = 0; i < 4; ++i) {
    const auto alone = diff_augment(x.slice(0, i, i + 1), policy, {11, i, 1}, Use::kReals);
    EXPECT_LT((together[i] - alone[0]).abs().max().item<double>(), 1e-12);
  }
}

TEST(DiffAugment, HasSecondDerivatives) {
  const auto policy = diff_augment_policy({"color", "translation", "cutout"});
  const auto weight = at::randn({2, 3, 8, 8}, at::kDouble);
  const auto gradient = [&](const at::Tensor& x, bool keep) {
    const auto y = diff_augment(x, policy, kAugmentedImages, Use::kReals);
    return torch::autograd::grad({(y * weight).sin().sum()}, {x}, {}, keep, keep)[0];
  };
  const auto x = at::randn({2, 3, 8, 8}, at::kDouble).requires_grad_();
  const auto second = torch::autograd::grad({gradient(x, true).square().sum()}, {x})[0];
  const auto direction = at::randn({2, 3, 8, 8}, at::kDouble);
  const auto penalty = [&](double step) {
    const auto at = (x + step * direction).detach().requires_grad_();
    return gradient(at, false).square().sum().item<double>();
  };
  const double numeric = (penalty(1e-5) - penalty(-1e-5)) / 2e-5;
  EXPECT_NEAR((second * direction).sum().item<double>(), numeric, 1e-5 * std::abs(numeric));
}

TEST(DiffAugment, RefusesUnknownFamilies) {
  expect_error(ExitCode::kConfig, "unknown augmentation: blur (known: color translation cutout)",
               [] { diff_augment_policy({"color", "blur"}); });
}

}  // namespace
}  // namespace ganscale::augment
