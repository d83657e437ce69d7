#include "device/low_precision_sums.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace ganscale::device {
namespace {

TEST(ForbidLowPrecisionSums, HoldsForBothTypes) {
  forbid_low_precision_sums();
  constexpr auto kForbidden = at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK;
  EXPECT_EQ(at::globalContext().allowFP16ReductionCuBLAS(), kForbidden);
  EXPECT_EQ(at::globalContext().allowBF16ReductionCuBLAS(), kForbidden);
}

}  // namespace
}  // namespace ganscale::device
