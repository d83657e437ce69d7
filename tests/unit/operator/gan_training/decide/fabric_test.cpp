#include "gan_training/decide/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Time kEnded{seconds(1750000000)};

wire::Preflight result(const std::string& message) {
  return {.gigabytes_per_second = message.empty() ? 180.0 : 9.0,
          .floor_gigabytes_per_second = 100,
          .measured_unix_seconds = 1749999990,
          .message = message};
}

/// An attempt on four nodes that ended because the preflight named these nodes.
Situation below_floor(const std::vector<std::string>& nodes) {
  Situation s;
  s.request = s.record.request = "1";
  s.hash = s.record.hash = "h1";
  s.nodes = 4;
  s.now = kEnded;
  s.restart = {.max_restarts = 0, .avoid_node_seconds = 600};
  s.record.phase = Phase::kScheduling;
  s.record.attempt = 1;
  s.record.state = AttemptState::kLive;
  s.attempt.emplace();
  s.attempt->number = 1;
  s.attempt->name = "a-r1";
  s.attempt->request = "1";
  s.attempt->hash = "h1";
  s.attempt->nodes = 4;
  s.attempt->phase = JobPhase::kFailed;
  s.attempt->exit_code = 69;
  s.attempt->message = "9 GB/s";
  s.attempt->failed_nodes = nodes;
  s.attempt->preflight = result("9 GB/s");
  return s;
}

/// Starts the attempt that follows a decision.
Record next_attempt(Situation s, const Decision& ended) {
  s.record = ended.record;
  s.attempt.reset();
  s.now += seconds(60);
  return decide(s).record;
}

std::vector<std::string> reasons(const Decision& d) {
  std::vector<std::string> all;
  for (const auto& event : d.events) all.push_back(event.reason);
  return all;
}

TEST(Fabric, ANodeBelowTheFloorIsAvoidedAndNotCountedAsAFailure) {
  const Situation s = below_floor({"dgx-2"});
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kRestarting);
  EXPECT_EQ(d.record.reason, "FabricBelowFloor");
  EXPECT_EQ(d.record.message, "exit code 69: 9 GB/s; avoids its node for 600 s: dgx-2");
  EXPECT_EQ(d.record.failures, 0);
  EXPECT_EQ(d.record.avoided,
            (std::vector<AvoidedNode>{{"dgx-2", kEnded + seconds(600), /*for_fabric=*/true}}));
  EXPECT_EQ(d.record.preflight, s.attempt->preflight);
  EXPECT_FALSE(d.record.fabric_accepted);
  EXPECT_THAT(reasons(d), ElementsAre("FabricBelowFloor"));
  const Record next = next_attempt(s, d);
  EXPECT_EQ(next.attempt, 2);
  EXPECT_THAT(avoided_names(next), ElementsAre("dgx-2"));
  EXPECT_FALSE(next.fabric_accepted);
}

TEST(Fabric, BothNodesOfTwoAreAvoidedAndTheNextTwoMayBeSlow) {
  Situation s = below_floor({"dgx-1", "dgx-2"});
  s.nodes = s.attempt->nodes = 2;
  const Decision d = decide(s);
  EXPECT_THAT(d.record.message, HasSubstr("avoids its nodes for 600 s: dgx-1, dgx-2"));
  EXPECT_THAT(avoided_names(d.record), IsEmpty()) << "there may be no others";
  EXPECT_THAT(avoided_names(d.record, /*last_resort=*/true), ElementsAre("dgx-1", "dgx-2"));
  EXPECT_TRUE(next_attempt(s, d).fabric_accepted);
}

TEST(Fabric, IsAcceptedIfNoNodeIsToBlame) {
  Situation s = below_floor({});
  EXPECT_TRUE(decide(s).record.fabric_accepted);
  EXPECT_THAT(decide(s).record.message, HasSubstr("other nodes would not help"));
  s = below_floor({"dgx-2"});
  s.restart.avoid_node_seconds = 0;
  EXPECT_TRUE(decide(s).record.fabric_accepted);
}

TEST(Fabric, IsAcceptedOnceAsManyNodesAreAvoidedAsTheTrainingHas) {
  Situation s = below_floor({"dgx-4"});
  const Time until = kEnded + seconds(300);
  s.record.avoided = {{"dgx-1", until, true}, {"dgx-2", until, true}, {"dgx-9", until, false}};
  EXPECT_FALSE(decide(s).record.fabric_accepted) << "one was avoided for its device";
  s.record.avoided.push_back({"dgx-3", until, true});
  EXPECT_TRUE(decide(s).record.fabric_accepted);
}

TEST(Fabric, IsNotAcceptedBecauseAnEditIsRefused) {
  Situation s = below_floor({"dgx-2"});
  s.nodes = Situation().nodes;  // there is no plan
  s.problem_reason = "MissingConfigMap";
  s.problem = "spec.configFrom.name: no such ConfigMap: absent";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "FabricBelowFloor");
  EXPECT_FALSE(d.record.fabric_accepted);
}

TEST(Fabric, IsAcceptedIfThereAreTooFewOtherNodes) {
  Situation s = below_floor({});
  s.attempt->phase = JobPhase::kCreated;
  s.attempt->exit_code.reset();
  s.attempt->preflight.reset();
  s.attempt->workers_running = 3;
  s.record.avoided = {{"dgx-2", kEnded, /*for_fabric=*/true}};
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "NodeAllowed");
  EXPECT_THAT(d.record.message, HasSubstr("trains even below the floor"));
  EXPECT_TRUE(d.record.fabric_accepted);
  s.record.fabric_accepted = true;
  EXPECT_NE(decide(s).record.reason, "NodeAllowed") << "it may run on that node";
  s.record.fabric_accepted = false;
  s.record.avoided.front().for_fabric = false;
  EXPECT_FALSE(decide(s).record.fabric_accepted) << "its device failed";
}

TEST(Fabric, MustPassAgainOnceTheSpecIsEdited) {
  Situation s = below_floor({});
  Decision d = decide(s);
  EXPECT_TRUE(next_attempt(s, d).fabric_accepted);
  s.request = "2";
  EXPECT_FALSE(next_attempt(s, d).fabric_accepted);
}

TEST(Fabric, MustPassAgainAfterTheAttemptDuringWhichTheSpecIsEdited) {
  Situation s = below_floor({});
  s.attempt->phase = JobPhase::kRunning;
  s.attempt->exit_code.reset();
  s.record.fabric_accepted = true;
  s.request = "2";  // of restartPolicy: no pod is another
  s.record = decide(s).record;
  EXPECT_TRUE(s.record.fabric_accepted) << "the attempt is as it was made";
  s.attempt->phase = JobPhase::kFailed;
  s.attempt->exit_code = 75;
  s.restart.max_restarts = 1;
  const Record next = next_attempt(s, decide(s));
  EXPECT_EQ(next.attempt, 2);
  EXPECT_FALSE(next.fabric_accepted);
  EXPECT_FALSE(next.fabric_expires);
}

TEST(Fabric, OfARunningAttemptIsReportedOnce) {
  Situation s = below_floor({});
  s.attempt->phase = JobPhase::kRunning;
  s.attempt->exit_code.reset();
  s.attempt->preflight = result("");
  Decision d = decide(s);
  EXPECT_THAT(reasons(d), ElementsAre("PreflightPassed"));
  EXPECT_EQ(d.events[0].note, "180 GB/s, floor 100");
  s.record = d.record;
  EXPECT_THAT(decide(s).events, IsEmpty());
  s.record.preflight.reset();
  s.record.fabric_accepted = true;
  s.attempt->preflight = result("9 GB/s");
  d = decide(s);
  EXPECT_THAT(reasons(d), ElementsAre("FabricBelowFloor"));
  EXPECT_EQ(d.events[0].note, "trains nevertheless: 9 GB/s");
}

}  // namespace
}  // namespace ganscale::controller::gan_training
