#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "comm/open_world.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/chosen_claims.h"
#include "integration/training/own_numbers_claims.h"
#include "integration/training/training_claims.h"
#include "support/thorough.h"

namespace ganscale::training {
namespace {

/// Its states are long messages, which MPI sends only once they are taken; with four ranks, several
/// wait for one.
constexpr std::string_view kClaimOfFourRanks = "Staleness0IsSynchronousOfR3ganWithUnevenRoles";

/// Most claims run with four ranks on threads (training_on_threads_test), and here in
/// `make check-long`.
class TrainingUnderMpi : public testing::TestWithParam<comm::GroupClaim> {
 protected:
  void SetUp() override {
    const bool is_for_all = GetParam().name == kClaimOfFourRanks || is_thorough();
    if (world_.group->size() > 2 && !is_for_all) GTEST_SKIP() << "make check-long runs it";
  }

  const comm::World world_ = comm::open_world({});
};

TEST_P(TrainingUnderMpi, KeepsTheClaim) { GetParam().body(*world_.group); }

/// Also those in which roles do not wait for each other, and one of ranks with numbers of their
/// own.
std::vector<comm::GroupClaim> claims() {
  auto all = training_claims();
  std::ranges::copy(asynchronous_claims(), std::back_inserter(all));
  std::ranges::copy(own_numbers_claims(), std::back_inserter(all));
  auto names = kClaimsOfMostGroups;
  names.insert(names.end(), {"AgesStayWithinBound1", "AgesStayWithinBound3WithUnevenRoles",
                             "WeightsAreSharedAndRunningMeansAreNot", kClaimOfFourRanks});
  return chosen(std::move(all), names);
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingUnderMpi, testing::ValuesIn(claims()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ganscale::training
