#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

#include "comm/group/group.h"

namespace ganscale::metrics {

/// The divisor of a covariance: N - 1 (pytorch-fid) or N (NVIDIA's code).
enum class Divisor { kCountMinusOne, kCount };

/// Mean and covariance of a set of features.
struct Gaussian {
  std::int64_t count = 0;  ///< number of features
  at::Tensor mean;         ///< [D] float64
  at::Tensor covariance;   ///< [D, D] float64
};

/// Count, mean and squared deviations of features, accumulated over batches in float64. Memory does
/// not grow with their number.
///
/// Paper: Chan, Golub & LeVeque 1979, "Updating formulae and a pairwise algorithm for computing
///        sample variances", Eq. (2.1). Unlike a difference of raw sums, it does not lose digits if
///        the mean is large.
class Moments {
 public:
  explicit Moments(std::int64_t feature_count);
  /// Continues from mean() and deviations().
  Moments(std::int64_t count, at::Tensor mean, at::Tensor deviations)
      : count_(count), mean_(std::move(mean)), deviations_(std::move(deviations)) {}

  /// features: [N, D], any floating-point dtype and device. Throws DataError if one is NaN or
  ///           infinite.
  void add(const at::Tensor& features);
  /// Merges the moments of all ranks. All ranks call it.
  void merge(comm::Group& group);

  std::int64_t count() const { return count_; }
  const at::Tensor& mean() const { return mean_; }              ///< [D] float64
  const at::Tensor& deviations() const { return deviations_; }  ///< [D, D] float64
  /// Throws DataError for fewer than two features.
  Gaussian gaussian(Divisor divisor) const;

 private:
  std::int64_t count_ = 0;
  at::Tensor mean_;        // [D] float64
  at::Tensor deviations_;  // [D, D] float64: the sum of (x - mean)(x - mean)^T
};

}  // namespace ganscale::metrics
