#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gan_training/decide/fabric.h"
#include "gan_training/decide/life.h"
#include "unit/operator/gan_training/decide/situations.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

TEST(LifeBounds, LooksAgainAtTheFirstOfSeveralTimes) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow;
  s.attempt->lacks_pods = true;  // looks for them every ten seconds
  s.scheduling_deadline = seconds(60);
  EXPECT_EQ(decide(s).requeue_after, seconds(10));
  s.scheduling_deadline = seconds(5);
  EXPECT_EQ(decide(s).requeue_after, seconds(5));
}

TEST(LifeBounds, SpreadsTheNextTriesOverTheBackoff) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow - seconds(60);
  s.scheduling_deadline = seconds(60);
  std::set<seconds> delays;
  for (int i = 0; i < 1000; ++i) {
    s.attempt->uid = std::to_string(i);
    delays.insert(*decide(s).requeue_after);
  }
  EXPECT_EQ(delays.size(), 11U);
  EXPECT_EQ(*delays.begin(), seconds(10));
  EXPECT_EQ(*delays.rbegin(), seconds(20));
}

TEST(LifeBounds, AvoidsTheLastNodesThatFailedAndNoMore) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 71;
  s.attempt->failed_nodes = {"last"};
  s.restart.avoid_node_seconds = 600;
  for (std::size_t i = 0; i + 1 < kMostAvoided; ++i) {
    s.record.avoided.push_back({std::to_string(i), kNow + seconds(60)});
  }
  EXPECT_EQ(decide(s).record.avoided.size(), kMostAvoided);
  EXPECT_EQ(decide(s).record.avoided.front().name, "0");
  s.record.avoided.push_back({"one more", kNow + seconds(60)});
  EXPECT_EQ(decide(s).record.avoided.size(), kMostAvoided);
  EXPECT_EQ(decide(s).record.avoided.front().name, "1");
}

TEST(LifeBounds, ForgetsTheEndOfAnAttemptThatIsGone) {
  Situation s = accepted();
  s.record.attempt = 3;
  s.record.state = AttemptState::kEnded;
  s.record.ending = Ending{"Resize", kNow - seconds(60)};
  EXPECT_FALSE(decide(s).record.ending);
}

TEST(LifeBounds, IsSuspendedOnceItsAttemptIsGone) {
  Situation s = accepted();
  s.suspend = true;
  s.record.restart_at = kNow + seconds(60);
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kSuspended);
  EXPECT_EQ(d.record.reason, "Suspended");
  EXPECT_FALSE(d.record.restart_at);
  EXPECT_THAT(d.steps, IsEmpty());
}

}  // namespace
}  // namespace ganscale::controller::gan_training
