#include "gan_training/decide/avoided.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/decide/situations.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

Situation with_failed_device() {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 71;
  s.attempt->message = "[rank 9] ECC error";
  s.attempt->failed_nodes = {"dgx-1"};
  s.restart.avoid_node_seconds = 600;
  return s;
}

TEST(Avoided, IsANodeWhoseDeviceFailedForAWhile) {
  Situation s = with_failed_device();
  s.record.avoided = {{"dgx-1", kNow}, {"dgx-6", kNow + seconds(60)}};
  const Decision d = decide(s);
  EXPECT_EQ(d.record.message, "exit code 71: [rank 9] ECC error; avoids its node for 600 s: dgx-1");
  EXPECT_EQ(d.record.avoided, (std::vector<AvoidedNode>{{"dgx-6", kNow + seconds(60)},
                                                        {"dgx-1", kNow + seconds(600)}}));
  s.record = d.record;
  s.attempt.reset();
  s.now = kNow + seconds(60);
  s.record = decide(s).record;
  EXPECT_EQ(s.record.state, AttemptState::kWanted);
  EXPECT_EQ(avoided_names(s.record), std::vector<std::string>{"dgx-1"});
  s.now = kNow + seconds(900);
  EXPECT_EQ(avoided_names(decide(s).record), std::vector<std::string>{"dgx-1"})
      << "an attempt is as it was made";
}

TEST(Avoided, IsNoNodeIfTurnedOffOrUnknown) {
  Situation s = with_failed_device();
  s.restart.avoid_node_seconds = 0;
  EXPECT_TRUE(decide(s).record.avoided.empty());
  s = with_failed_device();
  s.attempt->failed_nodes.clear();
  EXPECT_TRUE(decide(s).record.avoided.empty());
  EXPECT_EQ(decide(s).record.message, "exit code 71: [rank 9] ECC error");
}

TEST(Avoided, IsANodeUntilItsTimeIsOverAndTheTrainingLacksOne) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->workers_running = 7;
  s.record.avoided = {{"dgx-1", kNow + seconds(5)}};
  EXPECT_EQ(decide(s).requeue_after, seconds(5));
  EXPECT_THAT(decide(s).steps, IsEmpty());
  s.now += seconds(5);
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "NodeAllowed");
  EXPECT_THAT(d.events, ElementsAre(Event{false, "NodeAllowed", "may have a node again: dgx-1"}));
  EXPECT_EQ(d.record.failures, 0);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  s.attempt->workers_running = 8;
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Avoided, IsNoNodeForLongerThanTheSpecSaysNow) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->workers_running = 7;
  s.record.avoided = {{"dgx-1", kNow + seconds(3600)}};
  EXPECT_EQ(decide(s).requeue_after, seconds(3600));
  s.restart.avoid_node_seconds = 0;
  EXPECT_EQ(decide(s).record.reason, "NodeAllowed");
  s.has_spec = false;  // and with it the time
  EXPECT_EQ(decide(s).record.avoided, s.record.avoided);
  s.has_spec = true;
  s.restart.avoid_node_seconds = 3600;
  s.now -= seconds(86400);  // the clock was set back
  EXPECT_EQ(decide(s).requeue_after, seconds(3600));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
