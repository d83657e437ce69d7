#include "losses/orthogonality.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::losses {
namespace {

// Filters (3, 0), (0, 2) and (1, 1): the products of pairs are 0, 3 and 2, each counted twice.
TEST(Orthogonality, IsTheSumOfTheSquaredProductsOfDifferentFilters) {
  const auto weight = at::tensor({3.0, 0.0, 0.0, 2.0, 1.0, 1.0}).view({3, 2, 1, 1});
  EXPECT_DOUBLE_EQ(orthogonality_penalty(weight).item<double>(), 2 * (9 + 4));
}

TEST(Orthogonality, OfMoreFiltersThanNumbersOfEachHasTheGradientOfItsDefinition) {
  const auto weight = at::arange(24, at::kDouble).sin().view({12, 2}).requires_grad_();
  orthogonality_penalty(weight).backward();
  const auto gradient = weight.grad().clone();
  weight.mutable_grad().zero_();
  const auto products = weight.mm(weight.t());
  products.sub(products.diagonal().diag_embed()).square().sum().backward();
  EXPECT_TRUE(at::allclose(gradient, weight.grad(), 1e-12, 1e-12));
}

TEST(Orthogonality, LeavesTheLengthOfAFilterFree) {
  const auto weight = at::tensor({3.0, 0.0, 0.0, 2.0}).view({2, 2}).requires_grad_();
  orthogonality_penalty(weight).backward();
  EXPECT_EQ(weight.grad().abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace ganscale::losses
