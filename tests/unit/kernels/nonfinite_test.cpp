#include "kernels/nonfinite/nonfinite.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<at::Tensor> finite_tensors(at::ScalarType dtype) {
  return {at::ones({3, 5}, dtype), at::zeros({0}, dtype),
          at::full({2, 200'000}, -1e30, dtype),  // whose sum would not be finite in float32
          at::ones({}, dtype)};
}

TEST(NonfiniteFlags, AreZeroForFiniteTensors) {
  for (const auto dtype : {at::kFloat, at::kDouble}) {
    const auto flags = nonfinite_flags(finite_tensors(dtype));
    EXPECT_EQ(flags.scalar_type(), at::kFloat);
    EXPECT_TRUE(flags.equal(at::zeros({5}))) << flags;
  }
}

TEST(NonfiniteFlags, NameEachTensorWithANanOrInfinity) {
  for (const auto dtype : {at::kFloat, at::kDouble}) {
    for (const double value : {kNan, kInfinity, -kInfinity}) {
      for (const std::int64_t place : {0, 17, 399'999}) {
        const auto tensors = finite_tensors(dtype);
        tensors[2].view(-1)[place] = value;
        EXPECT_TRUE(nonfinite_flags(tensors).equal(at::tensor({1, 0, 0, 1, 0}, at::kFloat)));
      }
      const auto tensors = finite_tensors(dtype);
      tensors[0][2][4] = value;
      tensors[3].fill_(value);
      EXPECT_TRUE(nonfinite_flags(tensors).equal(at::tensor({1, 1, 0, 0, 1}, at::kFloat)));
    }
  }
}

TEST(NonfiniteFlags, RefuseTensorsOfTwoTypes) {
  expect_error(ExitCode::kBug, "one dtype",
               [] { nonfinite_flags({at::ones({1}), at::ones({1}, at::kDouble)}); });
  expect_error(ExitCode::kBug, "at least one", [] { nonfinite_flags({}); });
}

}  // namespace
}  // namespace ganscale::kernels
