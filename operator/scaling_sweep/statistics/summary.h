#pragma once

#include <optional>
#include <vector>

namespace ganscale::controller::scaling_sweep {

/// The middle value; the mean of the two in the middle of an even count. NaN of no values.
double median(std::vector<double> values);

double mean(const std::vector<double>& values);

/// The coefficient of variation: standard deviation (of a sample: divided by n - 1) over mean.
/// Absent with fewer than two values.
std::optional<double> variation(const std::vector<double>& values);

struct Interval {
  double low = 0;
  double high = 0;
};

/// Returns the 95% interval of the geometric mean of what `values` are a sample of: Student's, of
/// their logarithms. Absent with fewer than two values, or if one is not positive.
std::optional<Interval> interval_of(const std::vector<double>& values);

/// Returns the 95% interval of the ratio of two geometric means, `values` over `baseline`: Welch's,
/// of the logarithms. Absent if either's is.
std::optional<Interval> interval_of_ratio(const std::vector<double>& values,
                                          const std::vector<double>& baseline);

}  // namespace ganscale::controller::scaling_sweep
