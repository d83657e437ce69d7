#include "losses/wasserstein.h"

#include <ATen/ATen.h>

#include "losses/loss_config.h"
#include "support/expect_error.h"

namespace ganscale::losses {
namespace {

TEST(Wasserstein, IsTheDifferenceOfTheScores) {
  const auto real = at::tensor({3.0, 1.0});
  const auto fake = at::tensor({1.0, 5.0});
  const auto critic_loss = wasserstein_real_loss(real) + wasserstein_fake_loss(fake);
  EXPECT_TRUE(at::equal(critic_loss, at::tensor({-2.0, 4.0})));
  EXPECT_TRUE(at::equal(wasserstein_generator_loss(fake), at::tensor({-1.0, -5.0})));
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
  EXPECT_TRUE(at::allclose(gradient_penalty(images, logits, 10), at::full({3}, 160.0F)));
}

// D(x) = a x^2 / 2: the gradient a x, the penalty (a x - 1)^2, its derivative by a 2 (a x - 1) x.
TEST(GradientPenalty, HasADerivativeByTheCriticsParameters) {
  const auto a = at::tensor({3.0}, at::kDouble).requires_grad_();
  const auto image = at::full({1, 1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  const auto logits = image.square().flatten().mul(a).div(2);
  gradient_penalty(image, logits, 1).sum().backward();
  EXPECT_NEAR(a.grad().item<double>(), 2 * (3 * 2 - 1) * 2, 1e-9);
}

LossConfig parse(const std::string& yaml) {
  return parse_loss(config::Section(config::parse_yaml(yaml, "test.yaml")));
}

TEST(ParseLoss, HasThePapersDefaultsForEachName) {
  EXPECT_EQ(parse("{}").critic_steps, 1);
  EXPECT_EQ(parse("{}").gradient_penalty, 0);
  const auto c = parse("{name: wasserstein}");
  EXPECT_EQ(c.kind, Adversarial::kWasserstein);
  EXPECT_EQ(c.critic_steps, 5);
  EXPECT_EQ(c.gradient_penalty, 10);
  const auto clipped = parse("{name: wasserstein, weight_clip: 0.01}");
  EXPECT_EQ(clipped.gradient_penalty, 0);
  EXPECT_EQ(clipped.weight_clip, 0.01);
}

TEST(ParseLoss, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "critic_steps: must be positive",
               [] { parse("{critic_steps: 0}"); });
  expect_error(ExitCode::kConfig, "weight_clip: must not be negative",
               [] { parse("{weight_clip: -1}"); });
}

}  // namespace
}  // namespace ganscale::losses
