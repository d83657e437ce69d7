#include "gan_training/decide/restart.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

Attempt failed(int code) {
  Attempt attempt;
  attempt.phase = JobPhase::kFailed;
  attempt.exit_code = code;
  attempt.message = "words";
  return attempt;
}

TEST(Restart, IsForTheFabricLostPeersDevicesAndSignalsAlone) {
  for (const int code : {69, 71, 75, 143})
    EXPECT_TRUE(decide_restart(failed(code)).restart) << code;
  for (const int code : {1, 64, 65, 70, 78, 137})
    EXPECT_FALSE(decide_restart(failed(code)).restart) << code;
  EXPECT_EQ(decide_restart(failed(65)).message, "exit code 65: words");
}

TEST(Restart, IsForLostPodsWhateverTheLauncherSaid) {
  Attempt attempt = failed(1);
  attempt.lost = "a-r1-worker-0: Evicted";
  EXPECT_TRUE(decide_restart(attempt).restart);
  EXPECT_EQ(decide_restart(attempt).reason, "WorkerLost");
  attempt.exit_code = 137;  // of a launcher that was cut off
  EXPECT_TRUE(decide_restart(attempt).restart);
  attempt.exit_code = 78;  // a wrong configuration stays wrong
  EXPECT_FALSE(decide_restart(attempt).restart);
}

TEST(Restart, DoesNotCountWhatKubernetesDidToThePods) {
  Attempt attempt = failed(75);
  EXPECT_TRUE(decide_restart(attempt).counts);
  attempt.disrupted = true;
  EXPECT_FALSE(decide_restart(attempt).counts);
  attempt.exit_code.reset();
  attempt.lost = "a-r1-worker-0: disrupted: drained";
  EXPECT_FALSE(decide_restart(attempt).counts);
}

TEST(Restart, DoesNotCountAFailedPreflight) {
  EXPECT_FALSE(decide_restart(failed(69)).counts);
  EXPECT_EQ(decide_restart(failed(69)).reason, "FabricBelowFloor");
}

TEST(Restart, WaitsTwiceAsLongEachTimeUpToTheLimit) {
  const RestartPolicy policy{.max_restarts = 9, .backoff_seconds = 10, .max_backoff_seconds = 60};
  EXPECT_EQ(backoff(policy, 1).count(), 10);
  EXPECT_EQ(backoff(policy, 2).count(), 20);
  EXPECT_EQ(backoff(policy, 3).count(), 40);
  EXPECT_EQ(backoff(policy, 4).count(), 60);
  EXPECT_EQ(backoff(policy, 1000).count(), 60);
  EXPECT_EQ(
      backoff({.max_restarts = 9, .backoff_seconds = 0, .max_backoff_seconds = 60}, 5).count(), 0);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
