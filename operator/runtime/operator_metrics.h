#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/work_queue.h"
#include "telemetry/family.h"
#include "telemetry/values.h"

namespace ganscale::controller {

inline constexpr std::array kReconcileBounds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                             0.2,   0.5,   1.0,   2.0,  5.0,  10.0};
using Seconds = telemetry::Histogram<kReconcileBounds>;

/// The operator's own numbers, under the names that users of controller-runtime know.
class OperatorMetrics {
 public:
  /// What is read at the time of a scrape.
  struct Sources {
    std::function<WorkQueue::Counts()> queue;
    std::function<std::map<std::string, int>()> trainings_by_phase;
    std::function<std::chrono::seconds()> longest_wait;
  };

  void set_sources(Sources sources);

  void on_request(const std::string& method, int code, std::chrono::duration<double> took);
  /// result: success, requeue_after or error.
  void on_reconcile(const std::string& result, std::chrono::duration<double> took);
  void on_queued(std::chrono::duration<double> waited) { queue_seconds_.observe(waited.count()); }
  void add_active_worker(int change) { active_workers_.fetch_add(change); }
  void set_leading(bool leads) { leads_ = leads; }

  std::vector<telemetry::Family> collect() const;

 private:
  void add_from_sources(std::vector<telemetry::Family>& families) const;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, double> requests_;
  std::map<std::string, Seconds> request_seconds_;  // by method
  std::map<std::string, double> reconciles_;
  Sources sources_;
  Seconds reconcile_seconds_;
  Seconds queue_seconds_;
  std::atomic<int> active_workers_{0};
  std::atomic<bool> leads_{false};
};

}  // namespace ganscale::controller
