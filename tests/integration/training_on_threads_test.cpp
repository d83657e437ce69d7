#include <gtest/gtest.h>

#include <tuple>

#include "comm/thread_group.h"
#include "integration/training_claims.h"

namespace ganscale::training {
namespace {

using SizeAndClaim = std::tuple<int, comm::GroupClaim>;

class TrainingOnThreads : public testing::TestWithParam<SizeAndClaim> {};

TEST_P(TrainingOnThreads, KeepsTheClaim) {
  const auto& [size, claim] = GetParam();
  comm::run_ranks(size, claim.body);
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingOnThreads,
                         testing::Combine(testing::Values(2, 4),
                                          testing::ValuesIn(training_claims())),
                         [](const auto& info) {
                           return std::get<1>(info.param).name +
                                  std::to_string(std::get<0>(info.param));
                         });

}  // namespace
}  // namespace ganscale::training
