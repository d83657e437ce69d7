#include "gan_training/decide/refused_pod.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;

const Time kWhen{seconds(1750000000)};

Attempt waiting() {
  Attempt attempt;
  attempt.name = "a-r2";
  attempt.nodes = 2;
  attempt.lacks_pods = true;
  attempt.started = kWhen - seconds(10);
  return attempt;
}

TEST(RefusedPod, IsLookedForOnceAPodIsOverdue) {
  EXPECT_TRUE(waits_for_pods(waiting(), kWhen));
  EXPECT_FALSE(waits_for_pods(waiting(), kWhen - seconds(1)));
  Attempt attempt = waiting();
  attempt.lacks_pods = false;
  EXPECT_FALSE(waits_for_pods(attempt, kWhen));
  attempt = waiting();
  attempt.waits_reason = "Unschedulable";
  EXPECT_FALSE(waits_for_pods(attempt, kWhen)) << "that is known";
  attempt = waiting();
  attempt.phase = JobPhase::kQueued;
  EXPECT_FALSE(waits_for_pods(attempt, kWhen));
}

std::string told(const std::vector<Json>& warnings) {
  Attempt attempt = waiting();
  observe_refusal(warnings, attempt);
  return attempt.waits_reason + "|" + attempt.waits;
}

std::string told_of(const std::string& note) { return told({Json({{"note", note}})}); }

TEST(RefusedPod, HasTheMessageOfTheQuotaOrTheWebhook) {
  EXPECT_EQ(told_of("worker pod created failed: pods \"a-r2-worker-1\" is forbidden: exceeded "
                    "quota: gpus, requested: nvidia.com/gpu=8"),
            "QuotaExceeded|pods \"a-r2-worker-1\" is forbidden: exceeded quota: gpus, requested: "
            "nvidia.com/gpu=8");
  EXPECT_EQ(told_of("Error creating: admission webhook \"policy.example\" denied the request: "
                    "image not signed"),
            "AdmissionDenied|admission webhook \"policy.example\" denied the request: image not "
            "signed");
  EXPECT_EQ(told_of("launcher pod created failed: the server is shutting down"),
            "PodRefused|the server is shutting down");
  EXPECT_EQ(told({}), "|");
}

TEST(RefusedPod, IsTheLauncherAloneOnceAllWorkersRun) {
  Attempt attempt = waiting();
  attempt.workers_running = 2;
  const Json of_a_worker = {{"note", "worker pod created failed: it already exists"}};
  observe_refusal({of_a_worker}, attempt);
  EXPECT_EQ(attempt.waits_reason, "WaitsForLauncher");
  EXPECT_EQ(attempt.waits, "there is no launcher pod yet");
  observe_refusal({of_a_worker, Json({{"note", "launcher pod created failed: exceeded quota"}})},
                  attempt);
  EXPECT_EQ(attempt.waits_reason, "QuotaExceeded");
}

TEST(RefusedPod, IsTakenFromTheNewestWarning) {
  const Json old = {{"note", "exceeded quota"}, {"eventTime", "2025-06-15T15:00:00.000000Z"}};
  const Json repeated = {{"note", "denied the request"},
                         {"eventTime", "2025-06-15T14:00:00.000000Z"},
                         {"series", {{"lastObservedTime", "2025-06-15T15:06:00.000000Z"}}}};
  const Json legacy = {{"note", "failed"}, {"deprecatedLastTimestamp", "2025-06-15T15:05:00Z"}};
  EXPECT_EQ(told({old, repeated, legacy}), "AdmissionDenied|denied the request");
  EXPECT_EQ(told({old, legacy}), "PodRefused|failed");
}

}  // namespace
}  // namespace ganscale::controller::gan_training
