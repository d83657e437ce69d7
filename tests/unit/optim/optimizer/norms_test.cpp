#include "optim/optimizer/norms.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::optim {
namespace {

TEST(Norms, AreComputedForEachTensor) {
  const auto first = at::tensor({3.0, 4.0}, at::kDouble);
  const auto second = at::full({2, 3, 5, 5}, -2.0, at::kDouble)
                          .contiguous(at::MemoryFormat::ChannelsLast);  // 150 elements
  const auto scalar = at::full({}, -0.5, at::kDouble);
  const auto norms = norms_of({first, second, scalar});
  EXPECT_DOUBLE_EQ(norms[0].item<double>(), 5);
  EXPECT_DOUBLE_EQ(norms[1].item<double>(), std::sqrt(600.0));
  EXPECT_DOUBLE_EQ(norms[2].item<double>(), 0.5);
}

// The sum of (2 sin)^2 = 2 - 2 cos over many periods is 2 a number.
TEST(Norms, GoOverAllPiecesOfALongTensor) {
  constexpr int kCount = 1'000'000;
  const auto wave = at::arange(kCount, at::kDouble).sin().mul(2);
  EXPECT_NEAR(norms_of({wave}).item<double>(), std::sqrt(2.0 * kCount), 1e-2);
}

TEST(Norms, HaveTheSameBitsOnAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  const auto wave = at::arange(1'000'000, at::kFloat).mul(0.37).sin();
  at::set_num_threads(1);
  const auto on_one = norms_of({wave});
  for (const int threads : {2, 3, 4}) {
    at::set_num_threads(threads);
    EXPECT_TRUE(at::equal(norms_of({wave}), on_one)) << threads;
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace ganscale::optim
