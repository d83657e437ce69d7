#pragma once

namespace ganscale::controller::scaling_sweep {

/// Returns t such that a variable of Student's distribution lies within [-t, t] with this
/// probability.
///
/// degrees:     of freedom, at least 1; need not be whole (Welch's approximation).
/// probability: in (0, 1): 0.95 for a 95% interval.
double student_quantile(double degrees, double probability);

}  // namespace ganscale::controller::scaling_sweep
