#include "kernels/minibatch_stddev/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class MinibatchStddevOnHost : public KernelOnHost {};

TEST_P(MinibatchStddevOnHost, MatchesTheReference) {
  for (const std::int64_t value_count : {5, 700}) {
    StddevShape shape{GetParam().type, 3, 2, 2, value_count};
    const auto x = numbers({3, 2, 2, value_count});
    const auto out = at::full({2, 2}, -77, x.options());
    minibatch_stddev_kernel(x.const_data_ptr(), out.mutable_data_ptr(), shape, nullptr);
    const auto expected = at::empty_like(wide(out));
    shape.type = wide_type();
    minibatch_stddev_reference(wide(x).const_data_ptr(), expected.mutable_data_ptr(), shape);
    expect_close(out, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MinibatchStddevOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
