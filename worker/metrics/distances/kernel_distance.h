#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "comm/group/group.h"
#include "metrics/distances/inception_score.h"

namespace ganscale::metrics {

/// Returns `size` distinct numbers in [0, count), ascending. They depend only on seed and index.
///
/// Floyd's algorithm (Bentley & Floyd 1987, "Programming pearls: a sample of brilliance") with the
/// random numbers of base/random.h. 0 <= size <= count.
std::vector<std::int64_t> random_subset(std::int64_t count, std::int64_t size, std::uint64_t seed,
                                        std::uint64_t index);

/// Returns the unbiased squared maximum mean discrepancy of two sets of features with the kernel
/// k(x, y) = (x . y / D + 1)^3.
///
/// Paper:   Binkowski et al. 2018, arXiv:1801.01401, Section 3; Gretton et al. 2012, Eq. (3).
/// a, b:    [N, D] and [M, D], N and M at least 2; computed in float64.
/// Returns: may be negative.
double kernel_distance(const at::Tensor& a, const at::Tensor& b);

/// How the kernel inception distance draws its subsets.
struct Subsets {
  std::int64_t count = 100;
  std::int64_t size = 1000;  ///< or all features if there are fewer
  std::uint64_t seed = 0;
};

/// Returns the kernel inception distance: mean and deviation of kernel_distance() over random
/// subsets, distributed over the ranks.
///
/// real, fake: [N, D], the same on all ranks. Throws DataError for fewer than two features.
MeanAndDeviation kernel_inception_distance(const at::Tensor& real, const at::Tensor& fake,
                                           const Subsets& subsets, comm::Group& group);

}  // namespace ganscale::metrics
