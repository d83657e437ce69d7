#include "losses/adversarial.h"

#include <ATen/Functions.h>
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

TEST(NonSaturatingLosses, StayFiniteForSureJudgments) {
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

}  // namespace
}  // namespace ganscale::losses
