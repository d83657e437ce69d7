#include "training/phases/statistics.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"

namespace ganscale::training {
namespace {

TEST(Statistics, GivesTheMeanOverStepsAndRanks) {
  comm::run_ranks(2, [](comm::Group& group) {
    Statistics statistics;
    const double base = group.rank() == 0 ? 1 : 11;
    statistics.add({{"loss", at::tensor(base)}, {"penalty", at::tensor(base)}});
    statistics.add({{"loss", at::tensor(base + 2)}});
    const auto means = statistics.take(group);
    EXPECT_DOUBLE_EQ(means.at("loss"), 7);     // mean of 2 and 12
    EXPECT_DOUBLE_EQ(means.at("penalty"), 6);  // a lazy phase counts its own steps
  });
}

TEST(Statistics, BeginsAnewAfterTake) {
  comm::run_ranks(1, [](comm::Group& group) {
    Statistics statistics;
    statistics.add({{"loss", at::tensor(3.0)}});
    statistics.take(group);
    EXPECT_TRUE(statistics.take(group).empty());
  });
}

}  // namespace
}  // namespace ganscale::training
