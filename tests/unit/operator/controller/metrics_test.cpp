#include "controller/metrics.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;

const telemetry::Family& family(const Families& families, const std::string& name) {
  for (const auto& each : families.all()) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

TEST(OperatorMetrics, CountRequestsByMethodAndCode) {
  OperatorMetrics metrics("gans");
  metrics.on_request("GET", 200, milliseconds(3));
  metrics.on_request("GET", 200, milliseconds(30));
  metrics.on_request("PUT", 409, milliseconds(30));
  Families families;
  metrics.collect(families);
  const auto& requests = family(families, "rest_client_requests_total");
  ASSERT_EQ(requests.samples.size(), 2U);
  EXPECT_EQ(requests.samples.at(0).value, 2);
  const auto& seconds = family(families, "rest_client_request_duration_seconds").samples.at(0);
  EXPECT_EQ(seconds.buckets.back().cumulative_count, 2U);
}

TEST(OperatorMetrics, NameTheLeaseOfALeader) {
  OperatorMetrics metrics("gans");
  for (const bool leads : {false, true}) {
    metrics.set_leading(leads);
    Families families;
    metrics.collect(families);
    const auto& sample = family(families, "leader_election_master_status").samples.at(0);
    EXPECT_EQ(sample.labels, (MetricLabels{{"name", "gans"}}));
    EXPECT_EQ(sample.value, leads ? 1 : 0);
  }
}

TEST(ControllerMetrics, HaveTheNamesOfControllerRuntime) {
  ControllerMetrics metrics;
  metrics.on_reconcile("success");
  metrics.on_reconcile("error");
  metrics.on_work(milliseconds(30));
  metrics.on_queued(milliseconds(1));
  Families families;
  metrics.collect("thing", {.depth = 3, .adds = 9, .retries = 1}, families);
  EXPECT_EQ(family(families, "controller_runtime_reconcile_errors_total").samples.at(0).value, 1);
  EXPECT_EQ(family(families, "workqueue_depth").samples.at(0).value, 3);
  EXPECT_EQ(family(families, "workqueue_adds_total").samples.at(0).value, 9);
  EXPECT_EQ(family(families, "workqueue_retries_total").samples.at(0).value, 1);
  const auto& time = family(families, "controller_runtime_reconcile_time_seconds").samples.at(0);
  EXPECT_EQ(time.buckets.back().cumulative_count, 1U);
  EXPECT_EQ(time.buckets.front().cumulative_count, 0U);
  EXPECT_EQ(time.labels, (MetricLabels{{"controller", "thing"}}));
  EXPECT_EQ(family(families, "workqueue_queue_duration_seconds").samples.at(0).labels,
            (MetricLabels{{"name", "thing"}}));
}

TEST(ControllerMetrics, OfSeveralControllersShareTheirFamilies) {
  ControllerMetrics metrics;
  metrics.on_reconcile("success");
  Families families;
  metrics.collect("one", {}, families);
  metrics.collect("two", {}, families);
  const auto& reconciles = family(families, "controller_runtime_reconcile_total");
  ASSERT_EQ(reconciles.samples.size(), 2U);
  EXPECT_EQ(reconciles.samples.at(1).labels,
            (MetricLabels{{"controller", "two"}, {"result", "success"}}));
  for (const auto& each : families.all()) EXPECT_EQ(each.samples.size(), 2U) << each.name;
}

}  // namespace
}  // namespace ganscale::controller
