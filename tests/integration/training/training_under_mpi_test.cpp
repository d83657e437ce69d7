#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "comm/open_world.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/chosen_claims.h"
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

/// Also those in which roles do not wait for each other, and one of ranks with numbers of their own.
std::vector<comm::GroupClaim> claims() {
  auto all = training_claims();
  std::ranges::copy(asynchronous_claims(), std::back_inserter(all));
  std::ranges::copy(own_numbers_claims(), std::back_inserter(all));
  auto names = kClaimsOfMostGroups;
  names.insert(names.end(), {"AgesStayWithinBound1", "AgesStayWithinBound3WithUnevenRoles",
                             "WeightsAreSharedAndRunningMeansAreNot"});
  return chosen(std::move(all), names);
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingUnderMpi, testing::ValuesIn(claims()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ganscale::training
