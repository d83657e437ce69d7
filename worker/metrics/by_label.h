#pragma once

#include "metrics/evaluate.h"

namespace ganscale::metrics {

/// Computes a metric within each label: the Fréchet distance, precision and recall, or density and
/// coverage of its real and generated images. The labels are distributed over the ranks. All ranks
/// call it and get the same result: a value of each label, NaN if it has too few images, and the
/// mean and the minimum of the others.
void measure_by_label(const MetricName& metric, const Sets& sets, Divisor divisor,
                      comm::Group& group, Measurements& result);

}  // namespace ganscale::metrics
