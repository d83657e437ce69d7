#include "kernels/minibatch_stddev/minibatch_stddev.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

// Images 0 and 2 are a group with the values 1 and 5, images 1 and 3 one with 2 and 2.
TEST(MinibatchStddev, IsTheMeanDeviationOfEachGroup) {
  const auto values = at::tensor({1.0, 2.0, 5.0, 2.0}, at::kDouble);
  const auto x = values.view({4, 1, 1, 1}).expand({4, 3, 2, 2});
  const auto result = minibatch_stddev(x, 2);
  const auto expected = at::tensor({2.0, 1e-4, 2.0, 1e-4}, at::kDouble).view({4, 1});
  EXPECT_TRUE(at::allclose(result, expected, 0, 1e-8));
}

TEST(MinibatchStddev, KeepsFeaturesApart) {
  const auto x = at::zeros({2, 4, 1, 1}, at::kDouble);
  x[0][0][0][0] = 2;  // feature 0 has the channels 0 and 1: deviations 1 and 0
  const auto result = minibatch_stddev(x, 2, 2);
  EXPECT_NEAR(result[1][0].item<double>(), 0.5 + 0.5e-4, 1e-8);
  EXPECT_NEAR(result[1][1].item<double>(), 1e-4, 1e-12);
}

TEST(MinibatchStddev, HasTwoDerivatives) {
  expect_two_derivatives([](const Tensors& in) { return minibatch_stddev(in[0], 3, 2); },
                         {fixed_numbers({6, 4, 3, 1}, 0.1)});
}

// Of the values m + c and m - c the deviation is s = sqrt(c^2 + 1e-8). Its second derivative in the
// first value, (1 / s - c^2 / s^3) / 4, is a difference of two almost equal numbers, 1e-8 / (4
// s^3).
TEST(MinibatchStddev, HasAnExactSecondDerivativeOfTwoImagesInFloat32) {
  const auto x = at::tensor({1.25F, 0.75F}).view({2, 1, 1, 1}).requires_grad_();
  const auto first = torch::autograd::grad({minibatch_stddev(x, 2)[0][0]}, {x}, {}, true, true)[0];
  const auto second = torch::autograd::grad({first[0]}, {x})[0];
  const double s = std::sqrt(0.25 * 0.25 + 1e-8);
  const double expected = 1e-8 / (4 * s * s * s);
  EXPECT_NEAR(second[0].item<double>(), expected, 1e-5 * expected);
  EXPECT_NEAR(second[1].item<double>(), -expected, 1e-5 * expected);
}

TEST(MinibatchStddev, KeepsBatchesApart) {
  const auto x = fixed_numbers({8, 4, 3, 1}, 0.1);
  const auto apart =
      at::cat({minibatch_stddev(x.slice(0, 0, 4), 2, 2), minibatch_stddev(x.slice(0, 4, 8), 2, 2)});
  EXPECT_TRUE(minibatch_stddev(x, 2, 2, 2).equal(apart));
}

TEST(MinibatchStddev, TakesStridedInput) {
  const auto x = fixed_numbers({4, 6, 5, 14}, 0.1).slice(3, 0, 14, 2);
  EXPECT_TRUE(minibatch_stddev(x, 4, 2).equal(minibatch_stddev(x.contiguous(), 4, 2)));
}

TEST(MinibatchStddev, RefusesAGroupThatIsNotWholeAndNoImages) {
  expect_error(ExitCode::kBug, "6 images of 1 batches in groups of 4",
               [] { minibatch_stddev(at::zeros({6, 1, 1, 1}), 4); });
  expect_error(ExitCode::kBug, "6 images of 2 batches in groups of 2",
               [] { minibatch_stddev(at::zeros({6, 1, 1, 1}), 2, 1, 2); });
  expect_error(ExitCode::kBug, "not none", [] { minibatch_stddev(at::zeros({0, 1, 1, 1}), 1); });
}

}  // namespace
}  // namespace ganscale::kernels
