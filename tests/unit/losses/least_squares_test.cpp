#include "losses/least_squares.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::losses {
namespace {

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

}  // namespace
}  // namespace ganscale::losses
