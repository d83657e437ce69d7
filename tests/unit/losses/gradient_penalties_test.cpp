#include "losses/gradient_penalties.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::losses {
namespace {

TEST(ZeroCenteredPenalty, OfALinearDiscriminatorIsHalfItsSquaredWeight) {
  const auto real = at::randn({3, 1, 2, 2}, at::kDouble).requires_grad_();
  const auto weight = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).view({1, 2, 2});  // |w|^2 = 30
  const auto logits = (real * weight).sum({1, 2, 3});
  const at::Tensor gradient = image_gradients({real}, {logits})[0];
  EXPECT_TRUE(at::allclose(zero_centered_penalty(gradient), at::full({3}, 15.0, at::kDouble)));
}

// D(x) = a x^2: half of (2 a x)^2, its derivative by a is 4 a x^2.
TEST(ZeroCenteredPenalty, HasTheGradientOfTheSecondOrder) {
  const auto a = at::full({}, 3.0, at::kDouble).requires_grad_();
  const auto real = at::full({1, 1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  const auto logits = (a * real.square()).sum({1, 2, 3});
  zero_centered_penalty(image_gradients({real}, {logits})[0]).sum().backward();
  EXPECT_NEAR(a.grad().item<double>(), 4 * 3 * 4, 1e-12);
}

// D(x) = a x^2 at 2 and at 3.
TEST(ImageGradients, EqualTheGradientsOfEachBatchAlone) {
  const auto a = at::full({}, 5.0, at::kDouble).requires_grad_();
  const auto one = at::full({1, 1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  const auto other = at::full({1, 1, 1, 1}, 3.0, at::kDouble).requires_grad_();
  const auto score = [&](const at::Tensor& x) { return (a * x.square()).sum({1, 2, 3}); };
  const auto gradients = image_gradients({one, other}, {score(one), score(other)});
  EXPECT_EQ(gradients[0].item<double>(), 2 * 5 * 2);
  EXPECT_EQ(gradients[1].item<double>(), 2 * 5 * 3);
  EXPECT_FALSE(a.grad().defined());
}

TEST(ImageGradients, RefuseImagesThatDidNotRequireGradients) {
  const auto real = at::zeros({1, 1, 1, 1});
  expect_error(ExitCode::kBug, "requires_grad",
               [&] { image_gradients({real}, {real.sum({1, 2, 3})}); });
}

TEST(Interpolate, LiesBetweenRealAndFake) {
  const auto share = at::tensor({0.25F, 1.0F}).view({2, 1, 1, 1});
  const auto between = interpolate(at::full({2, 1, 1, 1}, 4.0), at::zeros({2, 1, 1, 1}), share);
  EXPECT_TRUE(at::allclose(between.flatten(), at::tensor({1.0F, 4.0F})));
  EXPECT_TRUE(between.requires_grad());
  EXPECT_TRUE(between.is_leaf());
}

// D(x) = <w, x> with w = (1, 2, 2, 4): |w| = 5 for every image.
TEST(GradientPenalty, OfALinearCriticIsItsNormsDistanceFromOne) {
  const auto images = at::randn({3, 1, 2, 2}).requires_grad_();
  const auto weight = at::tensor({1.0F, 2.0F, 2.0F, 4.0F}).view({1, 2, 2});
  const auto logits = images.mul(weight).sum({1, 2, 3});
  const at::Tensor gradient = image_gradients({images}, {logits})[0];
  EXPECT_TRUE(at::allclose(one_centered_penalty(gradient), at::full({3}, 16.0F)));
}

// D(x) = a x^2 / 2: the gradient a x, the penalty (a x - 1)^2, its derivative by a 2 (a x - 1) x.
TEST(GradientPenalty, HasADerivativeByTheCriticsParameters) {
  const auto a = at::tensor({3.0}, at::kDouble).requires_grad_();
  const auto image = at::full({1, 1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  const auto logits = image.square().flatten().mul(a).div(2);
  one_centered_penalty(image_gradients({image}, {logits})[0]).sum().backward();
  EXPECT_NEAR(a.grad().item<double>(), 2 * (3 * 2 - 1) * 2, 1e-9);
}

using Names = std::vector<std::string>;

Names names_in(PenaltyPhase phase, const LossConfig& loss, const PenaltyOptions& options) {
  Names names;
  for (const auto& [penalty, weight] : penalties_in(phase, loss, options))
    names.emplace_back(penalty->name);
  return names;
}

TEST(PenaltyTable, TakesR1AndR2InTheirPhaseAndTheOtherInTheMainOne) {
  const LossConfig loss{.gradient_penalty = 10};
  PenaltyOptions options{.r1_gamma = 1, .r2_gamma = 2};
  EXPECT_EQ(names_in(PenaltyPhase::kLazy, loss, options), (Names{"r1", "r2"}));
  EXPECT_EQ(names_in(PenaltyPhase::kMain, loss, options), (Names{"gradient_penalty"}));
  options.phase = PenaltyPhase::kMain;
  EXPECT_EQ(names_in(PenaltyPhase::kLazy, loss, options), Names{});
  EXPECT_EQ(names_in(PenaltyPhase::kMain, loss, options), (Names{"r1", "r2", "gradient_penalty"}));
}

TEST(PenaltyTable, LeavesOutPenaltiesOfWeightZero) {
  EXPECT_EQ(names_in(PenaltyPhase::kLazy, {}, {.r2_gamma = 2}), (Names{"r2"}));
  EXPECT_EQ(penalties_in(PenaltyPhase::kLazy, {}, {.r2_gamma = 2})[0].weight, 2);
  EXPECT_EQ(names_in(PenaltyPhase::kMain, {}, {.r2_gamma = 2}), Names{});
}

}  // namespace
}  // namespace ganscale::losses
