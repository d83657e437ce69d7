#include "kernels/weight_energies/weight_energies.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/check_gradients.h"

namespace ganscale::kernels {
namespace {

TEST(WeightEnergies, AreSumsOfSquaresOverTheKernel) {
  const auto weight = at::tensor({1.0, 2.0, 3.0, -1.0}).view({1, 2, 1, 2});
  EXPECT_TRUE(weight_energies({weight})[0].equal(at::tensor({5.0, 10.0}).view({1, 2})));
}

TEST(WeightEnergies, HaveTwoDerivatives) {
  expect_two_derivatives(
      [](const Tensors& in) {
        const auto energies = weight_energies({in[0], in[1]});
        return at::cat({energies[0].flatten(), energies[1].flatten()});
      },
      {fixed_numbers({2, 3, 3, 3}, 0.1), fixed_numbers({4, 2, 1, 1}, 0.2)});
}

TEST(WeightEnergies, HaveGradientsOnlyOfUsedResults) {
  const auto used = fixed_numbers({2, 3, 3, 3}, 0.1).requires_grad_();
  const auto unused = fixed_numbers({2, 3, 3, 3}, 0.2).requires_grad_();
  weight_energies({unused, used})[1].sum().backward();
  EXPECT_TRUE(at::allclose(used.grad(), 2 * used));
  EXPECT_FALSE(unused.grad().defined());
}

TEST(WeightEnergies, OnADeviceHaveTheirShapes) {
  const auto weight = at::empty({2, 3, 3, 3}, at::kMeta).requires_grad_();
  const auto energies = weight_energies({weight, at::empty({4, 2, 3, 3}, at::kMeta)});
  EXPECT_EQ(energies[0].sizes(), at::IntArrayRef({2, 3}));
  energies[0].sum().backward();
  EXPECT_EQ(weight.grad().sizes(), weight.sizes());
}

}  // namespace
}  // namespace ganscale::kernels
