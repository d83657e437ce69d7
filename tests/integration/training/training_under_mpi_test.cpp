#include <gtest/gtest.h>

#include "comm/open_world.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/own_numbers_claims.h"
#include "integration/training/training_claims.h"
#include "support/thorough.h"

namespace ganscale::training {
namespace {

/// Four ranks run on threads (training_on_threads_test), and here in `make check-long`.
class TrainingUnderMpi : public testing::TestWithParam<comm::GroupClaim> {
 protected:
  void SetUp() override {
    if (world_.group->size() > 2 && !is_thorough()) GTEST_SKIP() << "make check-long runs it";
  }

  const comm::World world_ = comm::open_world({});
};

TEST_P(TrainingUnderMpi, KeepsTheClaim) { GetParam().body(*world_.group); }

INSTANTIATE_TEST_SUITE_P(OfAllRanks, TrainingUnderMpi, testing::ValuesIn(training_claims()),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(OfBothRoles, TrainingUnderMpi, testing::ValuesIn(asynchronous_claims()),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(OfOwnNumbers, TrainingUnderMpi, testing::ValuesIn(own_numbers_claims()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ganscale::training
