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
