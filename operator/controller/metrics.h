#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "controller/work_queue.h"
#include "telemetry/family.h"
#include "telemetry/values.h"

namespace ganscale::controller {

inline constexpr std::array kReconcileBounds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                             0.2,   0.5,   1.0,   2.0,  5.0,  10.0};
using Seconds = telemetry::Histogram<kReconcileBounds>;

/// Name, help and type of a metric family.
struct Metric {
  const char* name;
  const char* help;
  telemetry::Type type;
};
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// The metric families of a scrape. Samples of the same metric share a family.
class Families {
 public:
  /// Returns the family of a metric, creating it if needed.
  telemetry::Family& declare(const Metric& metric);
  void add(const Metric& metric, const MetricLabels& labels, double value);
  void add(const Metric& metric, const MetricLabels& labels, const Seconds& seconds);

  const std::vector<telemetry::Family>& all() const { return families_; }

 private:
  std::vector<telemetry::Family> families_;
};

/// Metrics of one controller, with the names of controller-runtime.
class ControllerMetrics {
 public:
  /// result: success, requeue_after or error.
  void on_reconcile(const std::string& result);
  void on_work(std::chrono::duration<double> took) { work_seconds_.observe(took.count()); }
  void on_queued(std::chrono::duration<double> waited) { queue_seconds_.observe(waited.count()); }
  void add_active_worker(int change) { active_workers_.fetch_add(change); }

  /// controller: the value of the labels `controller` and `name`.
  void collect(const std::string& controller, const WorkQueue::Counts& queue,
               Families& families) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> reconciles_;  // by result
  Seconds work_seconds_;
  Seconds queue_seconds_;
  std::atomic<int> active_workers_{0};
};

/// Metrics of the whole program: requests to the API server and leadership.
class OperatorMetrics {
 public:
  /// lease: the name of the Lease with which it leads.
  explicit OperatorMetrics(std::string lease) : lease_(std::move(lease)) {}

  /// code: 0 if there was no response.
  void on_request(const std::string& method, int code, std::chrono::duration<double> took);
  void set_leading(bool leads) { leads_ = leads; }

  void collect(Families& families) const;

 private:
  const std::string lease_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, double> requests_;
  std::map<std::string, Seconds> request_seconds_;  // by method
  std::atomic<bool> leads_{false};
};

}  // namespace ganscale::controller
