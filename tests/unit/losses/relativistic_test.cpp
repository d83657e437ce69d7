#include "losses/relativistic.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "losses/loss_table.h"

namespace ganscale::losses {
namespace {

// Probabilities of 3/4 and 1/2 that the real is the real one.
TEST(Relativistic, IsTheLogarithmOfHowProbableTheOrderIs) {
  const auto real = at::tensor({std::log(3.0), -1.0}, at::kDouble);
  const auto fake = at::tensor({0.0, -1.0}, at::kDouble);
  const auto of_discriminator = at::tensor({-std::log(0.75), std::log(2.0)}, at::kDouble);
  const auto of_generator = at::tensor({-std::log(0.25), std::log(2.0)}, at::kDouble);
  EXPECT_TRUE(at::allclose(relativistic_discriminator_loss(fake, real), of_discriminator));
  EXPECT_TRUE(at::allclose(relativistic_generator_loss(fake, real), of_generator));
}

TEST(LossTable, HasALineForEachLoss) {
  for (const auto kind :
       {Adversarial::kNonSaturating, Adversarial::kWasserstein, Adversarial::kHinge,
        Adversarial::kLeastSquares, Adversarial::kRelativistic}) {
    EXPECT_EQ(adversarial_loss(kind).kind, kind);
  }
}

TEST(LossTable, HasTheSumOfBothSidesIfTheyAreIndependent) {
  const auto fake = at::tensor({-3.0, 0.5});
  const auto real = at::tensor({0.25, 2.0});
  for (const AdversarialLoss& loss : loss_table()) {
    if (loss.is_of_pairs()) continue;
    EXPECT_TRUE(at::equal(loss.discriminator(fake, real), loss.fake(fake).add(loss.real(real))))
        << loss.name;
    EXPECT_TRUE(at::equal(loss.generator(fake, {}), loss.generator(fake, real))) << loss.name;
  }
}

TEST(LossTable, HasLossesOfPairs) {
  EXPECT_TRUE(adversarial_loss(Adversarial::kRelativistic).is_of_pairs());
  EXPECT_FALSE(adversarial_loss(Adversarial::kHinge).is_of_pairs());
}

}  // namespace
}  // namespace ganscale::losses
