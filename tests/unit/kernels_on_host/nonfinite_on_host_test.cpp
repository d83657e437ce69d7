#include <limits>
#include <numeric>

#include "kernels/nonfinite/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class NonfiniteOnHost : public KernelOnHost {};

// As many as a launch takes, an empty one and two of more elements than their blocks have threads.
TEST_P(NonfiniteOnHost, MatchesTheReference) {
  const int large = host_grid::is_slow() ? 600 : 40'000;
  std::vector<at::Tensor> tensors = {numbers({0}), numbers({large}), numbers({large})};
  while (tensors.size() < kMostNonfiniteArrays) tensors.push_back(numbers({3}));
  const auto flags_of = [&](auto&& look_through) {
    std::vector<NonfiniteArray> arrays;
    for (const auto& tensor : tensors) arrays.push_back({tensor.data_ptr(), tensor.numel()});
    std::vector<float> flags(1 + tensors.size());
    look_through(arrays, NonfiniteTask{GetParam().type, flags.data(), flags.data() + 1});
    return flags;
  };
  const auto kernel = [&](const auto& arrays, const auto& task) {
    nonfinite_kernel(arrays, task, nullptr);
  };
  EXPECT_EQ(flags_of(kernel), std::vector<float>(1 + tensors.size()));
  tensors[1][large - 1] = std::numeric_limits<double>::infinity();
  tensors[2][0] = std::numeric_limits<double>::infinity();  // its thread looks at others afterward
  tensors.back()[0] = std::numeric_limits<double>::quiet_NaN();
  const auto flags = flags_of(kernel);
  EXPECT_EQ(flags, flags_of(nonfinite_reference));
  EXPECT_EQ(std::accumulate(flags.begin(), flags.end(), 0.0F), 4);
}

INSTANTIATE_TEST_SUITE_P(Types, NonfiniteOnHost, testing::Values(kFloat32, kFloat64), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
