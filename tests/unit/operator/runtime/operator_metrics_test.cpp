#include "runtime/operator_metrics.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

const telemetry::Family& family(const std::vector<telemetry::Family>& all,
                                const std::string& name) {
  for (const auto& each : all) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

TEST(OperatorMetrics, HaveTheNamesOfControllerRuntime) {
  OperatorMetrics metrics;
  metrics.on_request("GET", 200, std::chrono::milliseconds(3));
  metrics.on_request("GET", 200, std::chrono::milliseconds(30));
  metrics.on_reconcile("error", std::chrono::milliseconds(30));
  metrics.set_leading(true);
  metrics.set_sources({[] { return WorkQueue::Counts{.depth = 3, .adds = 9, .retries = 1}; },
                       [] { return std::map<std::string, int>{{"Running", 2}}; },
                       [] { return std::chrono::seconds(90); }});
  const auto all = metrics.collect();
  EXPECT_EQ(family(all, "rest_client_requests_total").samples.at(0).value, 2);
  EXPECT_EQ(family(all, "controller_runtime_reconcile_errors_total").samples.at(0).value, 1);
  EXPECT_EQ(family(all, "leader_election_master_status").samples.at(0).value, 1);
  EXPECT_EQ(family(all, "workqueue_depth").samples.at(0).value, 3);
  EXPECT_EQ(family(all, "ganscale_trainings").samples.at(0).value, 2);
  EXPECT_EQ(family(all, "ganscale_training_longest_wait_seconds").samples.at(0).value, 90);
  EXPECT_EQ(family(all, "rest_client_request_duration_seconds")
                .samples.at(0)
                .buckets.back()
                .cumulative_count,
            2U);
  EXPECT_EQ(
      family(all, "workqueue_work_duration_seconds").samples.at(0).buckets.back().cumulative_count,
      1U);
  const auto& time = family(all, "controller_runtime_reconcile_time_seconds").samples.at(0);
  EXPECT_EQ(time.buckets.back().cumulative_count, 1U);
  EXPECT_EQ(time.buckets.front().cumulative_count, 0U);
}

}  // namespace
}  // namespace ganscale::controller
