#include "scaling_sweep/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scaling_sweep/statistics/student.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr double kConfidence = 0.95;

/// Mean of the logarithms, and the square of its standard error.
struct LogMean {
  double mean;
  double variance;
  double degrees;
};

double sample_variance(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / static_cast<double>(values.size() - 1);
}

std::optional<LogMean> log_mean(std::vector<double> values) {
  if (values.size() < 2) return std::nullopt;
  if (std::ranges::any_of(values, [](double value) { return !(value > 0); })) return std::nullopt;
  for (double& value : values) value = std::log(value);
  const auto count = static_cast<double>(values.size());
  return LogMean{mean(values), sample_variance(values) / count, count - 1};
}

/// Returns exp(mean ± t · error); both ends are the mean if nothing varies.
Interval around(double mean, double variance, double degrees) {
  const double reach =
      variance > 0 ? student_quantile(degrees, kConfidence) * std::sqrt(variance) : 0;
  return {std::exp(mean - reach), std::exp(mean + reach)};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < 2 || mean(values) == 0) return std::nullopt;
  return std::sqrt(sample_variance(values)) / mean(values);
}

std::optional<Interval> interval_of(const std::vector<double>& values) {
  const auto logs = log_mean(values);
  if (!logs) return std::nullopt;
  return around(logs->mean, logs->variance, logs->degrees);
}

std::optional<Interval> interval_of_ratio(const std::vector<double>& values,
                                          const std::vector<double>& baseline) {
  const auto a = log_mean(values);
  const auto b = log_mean(baseline);
  if (!a || !b) return std::nullopt;
  const double variance = a->variance + b->variance;
  // Welch and Satterthwaite's degrees of freedom.
  const double parts =
      a->variance * a->variance / a->degrees + b->variance * b->variance / b->degrees;
  const double degrees = parts > 0 ? variance * variance / parts : a->degrees + b->degrees;
  return around(a->mean - b->mean, variance, degrees);
}

}  // namespace ganscale::controller::scaling_sweep
