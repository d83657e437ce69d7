#include "data/tools/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace ganscale::data {
namespace {

TEST(ParallelFor, VisitsEachIndexOnce) {
  std::vector<std::atomic<int>> visits(100);
  parallel_for(100, 4, [&](int thread, std::int64_t index) {
    EXPECT_LT(thread, 4);
    ++visits[index];
  });
  for (const auto& visit : visits) EXPECT_EQ(visit, 1);
}

TEST(ParallelFor, RethrowsAndBeginsNoFurtherIndex) {
  std::atomic<int> visits = 0;
  EXPECT_THROW(parallel_for(1000000, 2,
                            [&](int, std::int64_t) {
                              ++visits;
                              throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_LE(visits, 2);
}

}  // namespace
}  // namespace ganscale::data
