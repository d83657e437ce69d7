#include "kind/phase.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

TEST(Phases, HaveNamesThatAreReadAsTheyAreWritten) {
  for (const auto& [phase, name] : kPhases) {
    EXPECT_EQ(read_phase({{"phase", name}}), phase);
    EXPECT_EQ(name_in(kPhases, phase), name);
  }
}

TEST(Phases, AreReadAsPendingIfUnknown) {
  EXPECT_EQ(read_phase(Json::object()), Phase::kPending);
  EXPECT_EQ(read_phase({{"phase", 3}}), Phase::kPending);
  EXPECT_EQ(read_phase({{"phase", "Dancing"}}), Phase::kPending);
  EXPECT_EQ(read_phase(nullptr), Phase::kPending);
}

TEST(PhaseCondition, HoldsInItsPhaseWithTheReason) {
  const Condition holds = phase_condition(Phase::kFailed, Phase::kFailed, "BadData", "no images");
  EXPECT_EQ(holds.type, "Failed");
  EXPECT_TRUE(holds.holds);
  EXPECT_EQ(holds.reason, "BadData");
  EXPECT_EQ(holds.message, "no images");
  const Condition other = phase_condition(Phase::kFailed, Phase::kRunning, "Running", "2 of 2");
  EXPECT_FALSE(other.holds);
  EXPECT_EQ(other.reason, "IsRunning");
  EXPECT_EQ(other.message, "");
}

TEST(OverSince, IsTheTimeOfTheEnd) {
  Json status = Json::object();
  EXPECT_EQ(over_since(status), std::nullopt);
  const Time end{std::chrono::seconds(1750000000)};
  set_condition(status, phase_condition(Phase::kFailed, Phase::kRunning, "", ""), 1, Time());
  EXPECT_EQ(over_since(status), std::nullopt);
  set_condition(status, phase_condition(Phase::kFailed, Phase::kFailed, "", ""), 1, end);
  EXPECT_EQ(over_since(status), end);
}

}  // namespace
}  // namespace ganscale::controller
