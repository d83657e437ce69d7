#pragma once

#include <string>
#include <vector>

#include "training/evaluation/evaluator.h"
#include "training/replica/generator_average.h"

namespace ganscale::training {

/// Measures the average of a generator and, under names of their own (metrics::of_average()), those
/// with other half-lives. Logs which is best by the first metric for which it is known what is
/// better. All ranks call it.
///
/// kimg: the half-life of `average`. seed: see Evaluator::evaluate().
metrics::Measurements evaluate_averages(Evaluator& evaluator, models::Generator& average,
                                        double kimg, const std::vector<OtherAverage>& others,
                                        std::uint64_t seed);

/// Returns the names of the values that evaluate_averages() measures, without deviations, minima.
///
/// other_kimg: the half-lives of the other averages.
std::vector<std::string> measured_names(const std::vector<metrics::MetricName>& wanted,
                                        const std::vector<double>& other_kimg);

/// A value of a metric and the half-life of its average.
struct BestAverage {
  std::string metric;
  double kimg = 0;
  double value = 0;
};

/// Returns the best average by the first metric of `average` for which it is known what is better,
/// or nothing if there is none. NaN is never best. others: by half-life.
std::optional<BestAverage> best_average(
    const metrics::Measurements& average, double kimg,
    const std::vector<std::pair<double, metrics::Measurements>>& others);

}  // namespace ganscale::training
