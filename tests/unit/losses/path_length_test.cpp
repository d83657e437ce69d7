#include "losses/path_length.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::losses {
namespace {

// The image of 2x2 pixels is a w, one number a layer, a = (1, 2, 3, 4) for layer 0 and 0 for
// layer 1. With y = 1 everywhere, over the root of 4 pixels, J^T y is (1 + 2 + 3 + 4) / 2 = 5 for
// layer 0.
TEST(PathLengths, OfALinearGeneratorFollowFromItsMatrix) {
  const auto w = at::randn({3, 2, 1}, at::kDouble).requires_grad_();
  const auto a = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).view({1, 1, 2, 2});
  const auto images = w.select(1, 0).view({3, 1, 1, 1}) * a;
  const auto lengths = path_lengths(images, w, at::ones({3, 1, 2, 2}, at::kDouble));
  EXPECT_TRUE(at::allclose(lengths, at::full({3}, 5 / std::sqrt(2.0), at::kDouble)));
}

TEST(PathLengths, HaveTheGradientOfTheSecondOrder) {
  const auto a = at::full({}, 3.0, at::kDouble).requires_grad_();
  const auto w = at::full({1, 1, 1}, 2.0, at::kDouble).requires_grad_();
  const auto images = (a * w.square()).view({1, 1, 1, 1});  // d/dw = 2 a w = 12
  const auto length = path_lengths(images, w, at::ones({1, 1, 1, 1}, at::kDouble));
  EXPECT_NEAR(length.item<double>(), 12, 1e-12);
  length.sum().backward();
  EXPECT_NEAR(a.grad().item<double>(), 4, 1e-12);
}

}  // namespace
}  // namespace ganscale::losses
