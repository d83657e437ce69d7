#include <gtest/gtest.h>

#include "comm/open_world.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/own_numbers_claims.h"
#include "integration/training/training_claims.h"

namespace ganscale::training {
namespace {

class TrainingUnderMpi : public testing::TestWithParam<comm::GroupClaim> {
 protected:
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
