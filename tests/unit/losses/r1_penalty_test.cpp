#include "losses/r1_penalty.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::losses {
namespace {

TEST(R1Penalty, OfLinearDiscriminatorIsHalfGammaTimesSquaredWeight) {
  const auto real = at::randn({3, 1, 2, 2}, at::kDouble).requires_grad_();
  const auto weight = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).view({1, 2, 2});  // |w|^2 = 30
  const auto logits = (real * weight).sum({1, 2, 3});
  EXPECT_TRUE(at::allclose(r1_penalty(real, logits, 10.0), at::full({3}, 150.0, at::kDouble)));
}

// D(x) = a x^2: the penalty is gamma/2 (2 a x)^2, its derivative by a is 4 gamma a x^2.
TEST(R1Penalty, HasTheGradientOfTheSecondOrder) {
  const auto a = at::full({}, 3.0, at::kDouble).requires_grad_();
  const auto real = at::full({1, 1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  r1_penalty(real, (a * real.square()).sum({1, 2, 3}), 0.5).sum().backward();
  EXPECT_NEAR(a.grad().item<double>(), 4 * 0.5 * 3 * 4, 1e-12);
}

TEST(R1Penalty, RefusesANegativeWeightAndRealsWithoutGradient) {
  const auto real = at::zeros({1, 1, 1, 1});
  expect_error(ExitCode::kConfig, "discriminator.r1_gamma must not be negative",
               [&] { r1_penalty(real, real.sum({1, 2, 3}), -1); });
  expect_error(ExitCode::kBug, "requires_grad", [&] { r1_penalty(real, real.sum({1, 2, 3}), 1); });
}

}  // namespace
}  // namespace ganscale::losses
