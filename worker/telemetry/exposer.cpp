#include "telemetry/exposer.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <system_error>

#include "base/error.h"
#include "http/server.h"

namespace ganscale::telemetry {
namespace {

constexpr const char* kPath = "/metrics";
constexpr const char* kTextFormat = "text/plain; version=0.0.4; charset=utf-8";

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

std::string text_of(const std::vector<Family>& families) {
  std::vector<prometheus::MetricFamily> all;
  for (const Family& family : families) {
    all.push_back({family.name, family.help, type_of(family.type), {}});
    for (const Sample& sample : family.samples)
      all.back().metric.push_back(metric_of(family.type, sample));
  }
  return prometheus::TextSerializer().Serialize(all);
}

http::Reply reply_to(const http::Head& head, const Exposer::Collect& collect) {
  if (head.path != kPath) {
    return {.status = 404,
            .media_type = "text/plain",
            .body = std::string("the metrics are at ") + kPath + "\n"};
  }
  return {.media_type = kTextFormat, .body = text_of(collect())};
}

}  // namespace

struct Exposer::Server {
  http::Server http;
};

Exposer::Exposer(const Endpoint& endpoint, Collect collect) {
  const auto answer = [collect = std::move(collect)](
                          const http::Head& head, const std::string& /*body*/,
                          const http::Handlers::Send& send) { send(reply_to(head, collect)); };
  try {
    server_.reset(new Server{http::Server(endpoint.address, endpoint.port,
                                          {.refuse = http::refuse_all_but_get, .answer = answer})});
  } catch (const std::system_error& error) {
    throw ConfigError(http::listen_error(error, endpoint.address, endpoint.port,
                                         {endpoint.address_setting, endpoint.port_setting}));
  }
}

Exposer::~Exposer() = default;

int Exposer::port() const { return server_->http.port(); }

}  // namespace ganscale::telemetry
