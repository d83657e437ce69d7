#include "runtime/operator_metrics.h"

#include <limits>

namespace ganscale::controller {
namespace {

using telemetry::Family;
using telemetry::Sample;
using telemetry::Type;
using LabelList = std::vector<std::pair<std::string, std::string>>;

const LabelList kController{{"controller", "gantraining"}};
const LabelList kQueue{{"name", "gantraining"}};

Family single(const char* name, const char* help, Type type, const Sample& sample) {
  return {name, help, type, {sample}};
}

Sample histogram(const LabelList& labels, const Seconds& seconds) {
  Sample sample{labels, seconds.sum(), {}};
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i <= kReconcileBounds.size(); ++i) {
    cumulative += seconds.count(i);
    const double bound =
        i < kReconcileBounds.size() ? kReconcileBounds[i] : std::numeric_limits<double>::infinity();
    sample.buckets.push_back({bound, cumulative});
  }
  return sample;
}

}  // namespace

void OperatorMetrics::set_sources(Sources sources) {
  const std::scoped_lock lock(mutex_);
  sources_ = std::move(sources);
}

void OperatorMetrics::on_request(const std::string& method, int code,
                                 std::chrono::duration<double> took) {
  const std::scoped_lock lock(mutex_);
  requests_[{method, code}] += 1;
  request_seconds_[method].observe(took.count());
}

void OperatorMetrics::on_reconcile(const std::string& result, std::chrono::duration<double> took) {
  reconcile_seconds_.observe(took.count());
  const std::scoped_lock lock(mutex_);
  reconciles_[result] += 1;
}

std::vector<Family> OperatorMetrics::collect() const {
  const std::scoped_lock lock(mutex_);
  Family requests{"rest_client_requests_total",
                  "Requests to the API server; code 0: no answer.",
                  Type::kCounter,
                  {}};
  for (const auto& [request, count] : requests_) {
    const auto& [method, code] = request;
    requests.samples.push_back({{{"method", method}, {"code", std::to_string(code)}}, count, {}});
  }
  Family request_times{"rest_client_request_duration_seconds",
                       "How long the API server takes to answer.",
                       Type::kHistogram,
                       {}};
  for (const auto& [method, seconds] : request_seconds_) {
    request_times.samples.push_back(histogram({{"verb", method}}, seconds));
  }
  Family reconciles{
      "controller_runtime_reconcile_total", "Reconciles by result.", Type::kCounter, {}};
  for (const auto& [result, count] : reconciles_) {
    reconciles.samples.push_back({{kController[0], {"result", result}}, count, {}});
  }
  const auto errors = reconciles_.find("error");
  const double error_count = errors == reconciles_.end() ? 0 : errors->second;
  std::vector<Family> families{
      requests,
      request_times,
      reconciles,
      single("controller_runtime_reconcile_errors_total", "Reconciles that failed.", Type::kCounter,
             {kController, error_count, {}}),
      single("controller_runtime_reconcile_time_seconds", "How long a reconcile takes.",
             Type::kHistogram, histogram(kController, reconcile_seconds_)),
      single("controller_runtime_active_workers", "Reconciles at work.", Type::kGauge,
             {kController, static_cast<double>(active_workers_), {}}),
      single("workqueue_queue_duration_seconds", "How long a key waits.", Type::kHistogram,
             histogram(kQueue, queue_seconds_)),
      single("workqueue_work_duration_seconds", "How long a key is worked on.", Type::kHistogram,
             histogram(kQueue, reconcile_seconds_)),
      single("leader_election_master_status", "1 while this operator leads.", Type::kGauge,
             {{{"name", "ganscale-operator"}}, leads_ ? 1.0 : 0.0, {}})};
  add_from_sources(families);
  return families;
}

void OperatorMetrics::add_from_sources(std::vector<Family>& families) const {
  if (sources_.queue) {
    const WorkQueue::Counts counts = sources_.queue();
    const auto number = [](auto value) { return static_cast<double>(value); };
    families.push_back(single("workqueue_depth", "Keys that wait.", Type::kGauge,
                              {kQueue, number(counts.depth), {}}));
    families.push_back(single("workqueue_adds_total", "Keys added.", Type::kCounter,
                              {kQueue, number(counts.adds), {}}));
    families.push_back(single("workqueue_retries_total", "Keys added again after a failure.",
                              Type::kCounter, {kQueue, number(counts.retries), {}}));
  }
  if (sources_.trainings_by_phase) {
    Family trainings{"ganscale_trainings", "GanTrainings by phase.", Type::kGauge, {}};
    for (const auto& [phase, count] : sources_.trainings_by_phase()) {
      trainings.samples.push_back({{{"phase", phase}}, static_cast<double>(count), {}});
    }
    families.push_back(trainings);
  }
  if (sources_.longest_wait) {
    families.push_back(single("ganscale_training_longest_wait_seconds",
                              "How long the GanTraining that waits longest has waited to start.",
                              Type::kGauge,
                              {{}, static_cast<double>(sources_.longest_wait().count()), {}}));
  }
}

}  // namespace ganscale::controller
