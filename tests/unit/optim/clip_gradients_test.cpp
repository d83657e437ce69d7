#include "optim/clip_gradients.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace ganscale::optim {
namespace {

at::Tensor values(const std::vector<double>& numbers) { return at::tensor(numbers, at::kFloat); }

// |(3, 4)| = 5, over two tensors.
TEST(ClipGradients, ScalesALongerGradientToTheNorm) {
  const auto first = values({3, 0});
  const auto second = values({0, 4});
  clip_gradients({first, second}, 2.5);
  EXPECT_TRUE(at::equal(first, values({1.5, 0})));
  EXPECT_TRUE(at::equal(second, values({0, 2})));
}

// 49 * (1 / 49) is not 1 in binary.
TEST(ClipGradients, LeavesAGradientOfAtMostTheNormAsItIs) {
  for (const double norm : {0.0, 0.1, 49.0}) {
    const auto gradient = values({norm, 0});
    clip_gradients({gradient}, 49);
    EXPECT_TRUE(at::equal(gradient, values({norm, 0}))) << norm;
  }
}

TEST(ClipGradients, TakesFloat64) {
  const auto gradient = at::full({4}, 0.5, at::kDouble);  // of norm 1
  clip_gradients({gradient}, 0.125);
  EXPECT_TRUE(at::equal(gradient, at::full({4}, 0.0625, at::kDouble)));
}

}  // namespace
}  // namespace ganscale::optim
