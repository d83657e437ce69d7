#include "controller/metrics.h"

#include <algorithm>
#include <limits>

namespace ganscale::controller {
namespace {

using telemetry::Family;
using telemetry::Sample;
using telemetry::Type;

constexpr Metric kRequests{"rest_client_requests_total",
                           "Requests to the API server; code 0: no response.", Type::kCounter};
constexpr Metric kRequestSeconds{"rest_client_request_duration_seconds",
                                 "How long the API server takes to respond.", Type::kHistogram};
constexpr Metric kReconciles{"controller_runtime_reconcile_total", "Reconciles by result.",
                             Type::kCounter};
constexpr Metric kErrors{"controller_runtime_reconcile_errors_total", "Reconciles that failed.",
                         Type::kCounter};
constexpr Metric kReconcileSeconds{"controller_runtime_reconcile_time_seconds",
                                   "How long a reconcile takes.", Type::kHistogram};
constexpr Metric kActiveWorkers{"controller_runtime_active_workers", "Reconciles in progress.",
                                Type::kGauge};
constexpr Metric kQueueSeconds{"workqueue_queue_duration_seconds",
                               "How long a key waits in the queue.", Type::kHistogram};
constexpr Metric kWorkSeconds{"workqueue_work_duration_seconds", "How long a key takes to process.",
                              Type::kHistogram};
constexpr Metric kLeads{"leader_election_master_status",
                        "1 while this operator leads and reconciles; name: its Lease.",
                        Type::kGauge};
constexpr Metric kDepth{"workqueue_depth", "Keys waiting in the queue.", Type::kGauge};
constexpr Metric kAdds{"workqueue_adds_total", "Keys added.", Type::kCounter};
constexpr Metric kRetries{"workqueue_retries_total", "Keys added again after a failure.",
                          Type::kCounter};

}  // namespace

Family& Families::declare(const Metric& metric) {
  const auto known = std::ranges::find(families_, metric.name, &Family::name);
  if (known != families_.end()) return *known;
  return families_.emplace_back(Family{metric.name, metric.help, metric.type, {}});
}

void Families::add(const Metric& metric, const MetricLabels& labels, double value) {
  declare(metric).samples.push_back({labels, value, {}});
}

void Families::add(const Metric& metric, const MetricLabels& labels, const Seconds& seconds) {
  Sample sample{labels, seconds.sum(), {}};
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i <= kReconcileBounds.size(); ++i) {
    cumulative += seconds.count(i);
    const double bound =
        i < kReconcileBounds.size() ? kReconcileBounds[i] : std::numeric_limits<double>::infinity();
    sample.buckets.push_back({bound, cumulative});
  }
  declare(metric).samples.push_back(std::move(sample));
}

void ControllerMetrics::on_reconcile(const std::string& result) {
  const std::scoped_lock lock(mutex_);
  reconciles_[result] += 1;
}

void ControllerMetrics::collect(const std::string& controller, const WorkQueue::Counts& queue,
                                Families& families) const {
  const MetricLabels by_controller{{"controller", controller}};
  const MetricLabels by_name{{"name", controller}};  // as controller-runtime labels its queues
  {
    const std::scoped_lock lock(mutex_);
    families.declare(kReconciles);
    for (const auto& [result, count] : reconciles_) {
      families.add(kReconciles, {by_controller[0], {"result", result}}, count);
    }
    const auto errors = reconciles_.find("error");
    families.add(kErrors, by_controller, errors == reconciles_.end() ? 0 : errors->second);
  }
  families.add(kReconcileSeconds, by_controller, work_seconds_);
  families.add(kActiveWorkers, by_controller, static_cast<double>(active_workers_));
  families.add(kQueueSeconds, by_name, queue_seconds_);
  families.add(kWorkSeconds, by_name, work_seconds_);
  families.add(kDepth, by_name, static_cast<double>(queue.depth));
  families.add(kAdds, by_name, static_cast<double>(queue.adds));
  families.add(kRetries, by_name, static_cast<double>(queue.retries));
}

void OperatorMetrics::on_request(const std::string& method, int code,
                                 std::chrono::duration<double> took) {
  const std::scoped_lock lock(mutex_);
  requests_[{method, code}] += 1;
  request_seconds_[method].observe(took.count());
}

void OperatorMetrics::collect(Families& families) const {
  const std::scoped_lock lock(mutex_);
  families.declare(kRequests);
  for (const auto& [request, count] : requests_) {
    const auto& [method, code] = request;
    families.add(kRequests, {{"method", method}, {"code", std::to_string(code)}}, count);
  }
  families.declare(kRequestSeconds);
  for (const auto& [method, seconds] : request_seconds_) {
    families.add(kRequestSeconds, {{"verb", method}}, seconds);
  }
  families.add(kLeads, {{"name", lease_}}, leads_ ? 1.0 : 0.0);
}

}  // namespace ganscale::controller
