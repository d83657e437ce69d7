#include "kernels/grouped_products/grouped_products.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

/// Of rows of 8: two matrices of the first columns, none of the next two, one of the last three.
GroupedMatrices some_matrices() {
  return {{fixed_numbers({4, 3}, 0.1), fixed_numbers({2, 3}, 0.2), fixed_numbers({5, 3}, 0.3)},
          {0, 0, 5}};
}

TEST(GroupedProducts, LieSideBySide) {
  const auto x = fixed_numbers({3, 8}, 0.5);
  const auto by = some_matrices();
  const auto first = x.slice(1, 0, 3);
  const auto expected = at::cat({first.mm(by.matrices[0].t()), first.mm(by.matrices[1].t()),
                                 x.slice(1, 5).mm(by.matrices[2].t())},
                                1);
  EXPECT_TRUE(at::allclose(grouped_products(x, by), expected));
}

TEST(GroupedProducts, HaveTwoDerivatives) {
  const auto by = some_matrices();
  expect_two_derivatives(
      [&](const Tensors& in) {
        return grouped_products(in[3], {{in[0], in[1], in[2]}, by.first_columns});
      },
      {by.matrices[0], by.matrices[1], by.matrices[2], fixed_numbers({3, 8}, 0.5)});
}

TEST(GroupedProducts, OnADeviceHaveTheirShapes) {
  const auto x = at::empty({3, 8}, at::kMeta).requires_grad_();
  auto by = some_matrices();
  for (auto& matrix : by.matrices) {
    matrix = matrix.to(at::TensorOptions(at::kMeta).dtype(at::kFloat)).requires_grad_();
  }
  const auto y = grouped_products(x, by);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({3, 11}));
  y.sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  for (const auto& matrix : by.matrices) EXPECT_EQ(matrix.grad().sizes(), matrix.sizes());
}

TEST(GroupedProducts, RefuseColumnsThatAreNotThere) {
  auto by = some_matrices();
  by.first_columns.back() = 6;
  expect_error(ExitCode::kBug, "no more columns",
               [&] { grouped_products(fixed_numbers({3, 8}, 0.5), by); });
}

TEST(GroupedProducts, RefuseColumnsThatOverlapInPart) {
  auto by = some_matrices();
  by.first_columns.back() = 2;
  const auto y = grouped_products(fixed_numbers({3, 8}, 0.5).requires_grad_(), by);
  expect_error(ExitCode::kBug, "do not overlap", [&] { y.sum().backward(); });
}

}  // namespace
}  // namespace ganscale::kernels
