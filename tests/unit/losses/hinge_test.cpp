#include "losses/hinge.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::losses {
namespace {

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

}  // namespace
}  // namespace ganscale::losses
