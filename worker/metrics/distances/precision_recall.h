#pragma once

#include <ATen/core/Tensor.h>

#include "comm/group/group.h"

namespace ganscale::metrics {

struct PrecisionRecall {
  double precision = 0;  ///< share of the fakes that lie in the manifold of the reals
  double recall = 0;     ///< share of the reals that lie in the manifold of the fakes
};

struct DensityCoverage {
  double density = 0;   ///< mean number of real balls that a fake lies in, over k; may exceed 1
  double coverage = 0;  ///< share of the real balls with a fake inside
};

/// The features of reals and fakes, the same on all ranks. The rows of the distance matrices are
/// distributed over the ranks and computed a few thousand at a time.
///
/// real, fake: [N, D] and [M, D], each with more than `neighbors` rows, on one device.
struct FeatureSets {
  at::Tensor real;
  at::Tensor fake;
  int neighbors = 3;  ///< k: the ball of a feature reaches to its k-th nearest neighbor
};

/// Returns how realistic and how diverse the fakes are. A set's manifold is the union of its balls.
///
/// Paper:  Kynkäänniemi et al. 2019, arXiv:1904.06991, Eqs. (1) and (2), k = 3.
/// Throws: DataError for too few features.
PrecisionRecall precision_recall(const FeatureSets& sets, comm::Group& group);

/// Paper:  Naeem et al. 2020, arXiv:2002.09797, Eqs. (4) and (5), k = 5.
/// Throws: DataError for too few features.
DensityCoverage density_coverage(const FeatureSets& sets, comm::Group& group);

}  // namespace ganscale::metrics
