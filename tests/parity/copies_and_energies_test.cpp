// Copies of weights, and their gradients, through the CUDA kernels.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/multi_tensor_adam/multi_tensor_adam.h"
#include "kernels/scaled_copies/scaled_copies.h"
#include "kernels/weight_energies/weight_energies.h"

namespace ganscale::kernels {
namespace {

at::Tensor numbers(at::IntArrayRef shape, double offset) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) count *= length;
  return at::arange(count, at::kDouble).mul(0.37).add(offset).sin().view(shape).to(at::kFloat);
}

/// Weights as convolutions of StyleGAN2 take them, of channels last and transposed, and of one pixel.
class CopiesWithEnergies : public testing::Test {
 protected:
  CopiesAndEnergies results() {
    return copies_and_energies({{weights_[0], 1, WeightLayout::kChannelsLast},
                                {weights_[1], 0.5, WeightLayout::kTransposedChannelsLast},
                                {weights_[2], 1, WeightLayout::kContiguous}},
                               at::kBFloat16, &kept_);
  }

  std::vector<at::Tensor> weights_ = {numbers({5, 7, 3, 3}, 0.1).requires_grad_(),
                                      numbers({4, 6, 3, 3}, 0.2).requires_grad_(),
                                      numbers({3, 8, 1, 1}, 0.3).requires_grad_()};
  const std::vector<double> factors_ = {1, 0.5, 1};
  KeptResults kept_;
};

TEST_F(CopiesWithEnergies, AreTheScaledWeightsAndTheirSumsOfSquares) {
  const auto [copies, energies] = results();
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    EXPECT_TRUE(copies[i].equal((weights_[i] * factors_[i]).to(at::kBFloat16)));
    EXPECT_TRUE(at::allclose(energies[i], weights_[i].square().sum({2, 3})));
  }
}

TEST_F(CopiesWithEnergies, HaveTheSumOfBothGradients) {
  for (int pass = 0; pass < 2; ++pass) {  // the second time with what is kept
    const auto [copies, energies] = results();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor of_copy = numbers(weights_[i].sizes(), 1).to(at::kBFloat16);
      const at::Tensor of_energies = numbers(energies[i].sizes(), 2);
      const auto gradient = torch::autograd::grad({copies[i], energies[i]}, {weights_[i]},
                                                  {of_copy, of_energies}, /*retain_graph=*/true)[0];
      const at::Tensor expected = of_copy.to(at::kFloat) * factors_[i] +
                                  2 * weights_[i] * of_energies.unsqueeze(2).unsqueeze(3);
      EXPECT_TRUE(at::allclose(gradient, expected)) << i;
    }
  }
}

TEST_F(CopiesWithEnergies, HaveTheGradientOfEither) {
  const auto [copies, energies] = results();
  const auto by_copy = torch::autograd::grad({copies[1].sum()}, {weights_[1]}, {}, true)[0];
  EXPECT_TRUE(by_copy.equal(at::full_like(by_copy, 0.5)));
  const auto by_energies = torch::autograd::grad({energies[0].sum()}, {weights_[0]}, {}, true)[0];
  EXPECT_TRUE(by_energies.equal(2 * weights_[0]));
  const auto twice = torch::autograd::grad({energies[0].sum()}, {weights_[0]}, {}, true,
                                           /*create_graph=*/true)[0];
  const auto second = torch::autograd::grad({twice.sum()}, {weights_[0]})[0];
  EXPECT_TRUE(second.equal(at::full_like(second, 2)));
}

TEST_F(CopiesWithEnergies, FollowAnUpdateByAKernel) {
  results();
  const at::Tensor ones = at::ones_like(weights_[0]);
  multi_tensor_adam({.parameters = {weights_[0]},
                     .gradients = {ones},
                     .first_moments = {at::zeros_like(ones)},
                     .second_moments = {at::zeros_like(ones)},
                     .averages = {},
                     .steps = {at::ones({})}},
                    {.learning_rate = 0.1});
  const auto [copies, energies] = results();
  EXPECT_TRUE(copies[0].equal(weights_[0].to(at::kBFloat16)));
  EXPECT_TRUE(at::allclose(energies[0], weights_[0].square().sum({2, 3})));
}

}  // namespace
}  // namespace ganscale::kernels
