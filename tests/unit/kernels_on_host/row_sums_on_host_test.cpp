#include "kernels/row_sums/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class RowSumsOnHost : public KernelOnHost {};

// A block has eight columns, and takes 128 rows at once.
TEST_P(RowSumsOnHost, AreTheSumsOfColumns) {
  for (const std::int64_t row_count : {2, 300}) {
    const auto rows = wide(numbers({row_count, 13}));
    const auto out = at::full({13}, -77, GetParam().dtype);
    row_sums_kernel({GetParam().type, out.mutable_data_ptr(), rows.const_data_ptr(), row_count, 13},
                    nullptr);
    expect_close(out, rows.sum(0));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, RowSumsOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
