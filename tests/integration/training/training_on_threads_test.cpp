#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "comm/backends/thread_group.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/own_numbers_claims.h"
#include "integration/training/training_claims.h"
#include "support/thorough.h"

namespace ganscale::training {
namespace {

using SizeAndClaim = std::tuple<int, comm::GroupClaim>;

/// Some claims run on two ranks under mpirun (training_under_mpi_test), all on four here, and in
/// `make check-long` all on both.
const std::vector<int> kSizes = thorough<std::vector<int>>({2, 4}, {4});

class TrainingOnThreads : public testing::TestWithParam<SizeAndClaim> {};

TEST_P(TrainingOnThreads, KeepsTheClaim) {
  const auto& [size, claim] = GetParam();
  comm::run_ranks(size, claim.body);
}

std::string claim_and_size(const testing::TestParamInfo<SizeAndClaim>& info) {
  return std::get<1>(info.param).name + std::to_string(std::get<0>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingOnThreads,
                         testing::Combine(testing::ValuesIn(kSizes),
                                          testing::ValuesIn(training_claims())),
                         claim_and_size);

INSTANTIATE_TEST_SUITE_P(BothRoles, TrainingOnThreads,
                         testing::Combine(testing::ValuesIn(kSizes),
                                          testing::ValuesIn(asynchronous_claims())),
                         claim_and_size);

INSTANTIATE_TEST_SUITE_P(OwnNumbers, TrainingOnThreads,
                         testing::Combine(testing::ValuesIn(kSizes),
                                          testing::ValuesIn(own_numbers_claims())),
                         claim_and_size);

}  // namespace
}  // namespace ganscale::training
