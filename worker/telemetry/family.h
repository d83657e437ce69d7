#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ganscale::telemetry {

enum class Type { kCounter, kGauge, kHistogram };

/// Returns the name in Prometheus: counter, gauge or histogram.
constexpr const char* name(Type type) {
  switch (type) {
    case Type::kCounter: return "counter";
    case Type::kGauge: return "gauge";
    case Type::kHistogram: return "histogram";
  }
  return "untyped";
}

/// One value with its labels at the time of a scrape.
struct Sample {
  struct Bucket {
    double upper_bound;
    std::uint64_t cumulative_count;
  };
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;             ///< of a histogram: the sum of the observations
  std::vector<Bucket> buckets;  ///< of a histogram only; the last bound is infinity
};

/// All samples of one name.
struct Family {
  std::string name;
  std::string help;
  Type type = Type::kGauge;
  std::vector<Sample> samples;
};

}  // namespace ganscale::telemetry
