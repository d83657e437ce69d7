#include <vector>

#include "kernels/grouped_products/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

MatrixView view_of(const at::Tensor& matrix) {
  return {matrix.const_data_ptr(), static_cast<std::int32_t>(matrix.stride(0)),
          static_cast<std::int32_t>(matrix.stride(1))};
}

ProductTerm term_of(const at::Tensor& left, const at::Tensor& right) {
  return {view_of(left), view_of(right), static_cast<std::int32_t>(left.size(1))};
}

/// A place for the terms that follow the terms of the places before it.
ProductPlace place_of(const at::Tensor& out, const std::vector<ProductPlace>& before,
                      std::int32_t term_count) {
  const std::int32_t first =
      before.empty() ? 0 : before.back().first_term + before.back().term_count;
  return {.out = out.mutable_data_ptr(),
          .row_stride = static_cast<std::int32_t>(out.stride(0)),
          .rows = static_cast<std::int32_t>(out.size(0)),
          .columns = static_cast<std::int32_t>(out.size(1)),
          .first_term = first,
          .term_count = term_count};
}

class GroupedProductsOnHost : public KernelOnHost {};

// More rows, columns and depth than a tile, and fewer; matrices and their transposes; the sum of
// two, and of none.
TEST_P(GroupedProductsOnHost, AreProductsOfMatrices) {
  const auto all = at::full({70, 100}, -77, numbers({1}).options());
  const auto a = numbers({70, 40});
  const auto b = numbers({33, 40});
  const auto c = numbers({5, 70});
  const auto d = numbers({5, 3});
  const auto e = numbers({40, 33});
  std::vector<ProductPlace> places;
  places.push_back(place_of(all.slice(1, 2, 35), places, 2));
  places.push_back(place_of(all.slice(1, 40, 43), places, 1));
  places.push_back(place_of(all.slice(1, 50, 60), places, 0));
  const std::vector<ProductTerm> terms = {term_of(a, b.t()), term_of(a, e), term_of(c.t(), d)};
  grouped_products_kernel(places, terms, GetParam().type, nullptr);
  const auto expected = at::full_like(all, -77);
  expected.slice(1, 2, 35).copy_(a.mm(b.t()) + a.mm(e));
  expected.slice(1, 40, 43).copy_(c.t().mm(d));
  expected.slice(1, 50, 60).zero_();
  expect_close(all, expected);
}

INSTANTIATE_TEST_SUITE_P(Types, GroupedProductsOnHost, testing::Values(kFloat32, kFloat64),
                         name_of_type);

}  // namespace
}  // namespace ganscale::kernels
