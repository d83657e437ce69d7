#include "telemetry/exposer.h"

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

#include <exception>

#include "base/error.h"

namespace ganscale::telemetry {
namespace {

/// Returns civetweb's options. A connection has one of its threads until the request is there, or
/// the time for it is over. However many clients hang, at most 16 + 20 + 200 connections are let
/// in, which are through in 7.4 s: a scrape gets its answer within the 10 s that Prometheus waits.
std::vector<std::string> options_of(const std::string& address) {
  return {"listening_ports",   address, "num_threads",      "16", "request_timeout_ms", "500",
          "enable_keep_alive", "no",    "connection_queue", "20", "listen_backlog",     "200"};
}

prometheus::MetricType type_of(Type type) {
  switch (type) {
    case Type::kCounter: return prometheus::MetricType::Counter;
    case Type::kGauge: return prometheus::MetricType::Gauge;
    case Type::kHistogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric metric_of(Type type, const Sample& sample) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  if (type == Type::kCounter) metric.counter.value = sample.value;
  if (type == Type::kGauge) metric.gauge.value = sample.value;
  if (type == Type::kHistogram) {
    metric.histogram.sample_sum = sample.value;
    metric.histogram.sample_count = sample.buckets.back().cumulative_count;
    for (const auto& bucket : sample.buckets) {
      metric.histogram.bucket.push_back({bucket.cumulative_count, bucket.upper_bound});
    }
  }
  return metric;
}

class Collectable : public prometheus::Collectable {
 public:
  explicit Collectable(Exposer::Collect collect) : collect_(std::move(collect)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> result;
    for (const Family& family : collect_()) {
      result.push_back({family.name, family.help, type_of(family.type), {}});
      for (const Sample& sample : family.samples) {
        result.back().metric.push_back(metric_of(family.type, sample));
      }
    }
    return result;
  }

 private:
  Exposer::Collect collect_;
};

}  // namespace

struct Exposer::Server {
  // Destroyed in reverse order: first the threads, then what they call.
  std::shared_ptr<Collectable> collectable;
  prometheus::Exposer exposer;
};

Exposer::Exposer(const Endpoint& endpoint, Collect collect) {
  const std::string address = endpoint.address + ":" + std::to_string(endpoint.port);
  auto collectable = std::make_shared<Collectable>(std::move(collect));
  try {
    server_.reset(new Server{collectable, prometheus::Exposer(options_of(address))});
  } catch (const std::exception& error) {
    throw ConfigError(
        "telemetry.metrics_port: can't listen on " + address + " (" + error.what() +
        "); is another training using it? 0 picks any free port, -1 turns metrics off");
  }
  server_->exposer.RegisterCollectable(server_->collectable);
}

Exposer::~Exposer() = default;

int Exposer::port() const { return server_->exposer.GetListeningPorts().front(); }

}  // namespace ganscale::telemetry
