#include "losses/adversarial.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::losses {
namespace {

at::Tensor logits(std::vector<double> values) { return at::tensor(values, at::kDouble); }

// sigmoid(log 3) = 3/4 and sigmoid(0) = 1/2.
TEST(NonSaturatingDiscriminatorLoss, IsTheCrossEntropyOfEachSide) {
  EXPECT_NEAR(non_saturating_real_loss(logits({std::log(3.0)})).item<double>(), -std::log(0.75),
              1e-12);
  EXPECT_NEAR(non_saturating_fake_loss(logits({std::log(3.0)})).item<double>(), -std::log(0.25),
              1e-12);
  EXPECT_NEAR(non_saturating_fake_loss(logits({0.0})).item<double>(), -std::log(0.5), 1e-12);
}

TEST(NonSaturatingGeneratorLoss, IsMinusLogOfTheScore) {
  const auto loss = non_saturating_generator_loss(logits({std::log(3.0), 0.0}));
  EXPECT_NEAR(loss[0].item<double>(), -std::log(0.75), 1e-12);
  EXPECT_NEAR(loss[1].item<double>(), std::log(2.0), 1e-12);
}

TEST(NonSaturatingLosses, StayFiniteForExtremeLogits) {
  EXPECT_NEAR(non_saturating_generator_loss(logits({-1000.0})).item<double>(), 1000, 1e-9);
  EXPECT_EQ(non_saturating_generator_loss(logits({1000.0})).item<double>(), 0);
  EXPECT_NEAR(non_saturating_real_loss(logits({-1000.0})).item<double>(), 1000, 1e-9);
  EXPECT_NEAR(non_saturating_fake_loss(logits({1000.0})).item<double>(), 1000, 1e-9);
}

// d/dl softplus(-l) = -sigmoid(-l): largest where the fake has the lowest logit.
TEST(NonSaturatingGeneratorLoss, DoesNotSaturateForBadFakes) {
  auto fake = logits({-30.0}).requires_grad_();
  non_saturating_generator_loss(fake).sum().backward();
  EXPECT_NEAR(fake.grad().item<double>(), -1, 1e-9);
}

TEST(Hinge, IsTheDistanceFromTheMargin) {
  const auto logits = at::tensor({-3.0, -1.0, 0.5, 2.0});
  EXPECT_TRUE(at::equal(hinge_real_loss(logits), at::tensor({4.0, 2.0, 0.5, 0.0})));
  EXPECT_TRUE(at::equal(hinge_fake_loss(logits), at::tensor({0.0, 0.0, 1.5, 3.0})));
  EXPECT_TRUE(at::equal(hinge_generator_loss(logits), logits.neg()));
}

TEST(Hinge, HasNoGradientBeyondTheMargin) {
  auto logits = at::tensor({0.5, 2.0}).requires_grad_();
  hinge_real_loss(logits).sum().backward();
  EXPECT_TRUE(at::equal(logits.grad(), at::tensor({-1.0, 0.0})));
}

TEST(LeastSquares, IsHalfTheSquaredDistanceFromOneForRealsAndFromZeroForFakes) {
  const auto logits = at::tensor({-1.0, 0.0, 1.0, 3.0});
  EXPECT_TRUE(at::equal(least_squares_real_loss(logits), at::tensor({2.0, 0.5, 0.0, 2.0})));
  EXPECT_TRUE(at::equal(least_squares_fake_loss(logits), at::tensor({0.5, 0.0, 0.5, 4.5})));
}

TEST(LeastSquares, DrawsTheScoresOfFakesToThoseOfReals) {
  const auto logits = at::tensor({-1.0, 3.0}).requires_grad_();
  least_squares_generator_loss(logits).sum().backward();
  EXPECT_TRUE(at::equal(logits.grad(), at::tensor({-2.0, 2.0})));
}

TEST(Wasserstein, IsTheDifferenceOfTheScores) {
  const auto real = at::tensor({3.0, 1.0});
  const auto fake = at::tensor({1.0, 5.0});
  const auto critic_loss = wasserstein_real_loss(real) + wasserstein_fake_loss(fake);
  EXPECT_TRUE(at::equal(critic_loss, at::tensor({-2.0, 4.0})));
  EXPECT_TRUE(at::equal(wasserstein_generator_loss(fake), at::tensor({-1.0, -5.0})));
}

}  // namespace
}  // namespace ganscale::losses
