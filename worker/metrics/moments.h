#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

#include "comm/group.h"

namespace ganscale::metrics {

/// What a covariance divides its sum of squares by: N - 1 (pytorch-fid) or N (NVIDIA's code).
enum class Divisor { kCountMinusOne, kCount };

/// Mean and covariance of a set of features.
struct Gaussian {
  std::int64_t count = 0;  ///< features it was taken from
  at::Tensor mean;         ///< [D] float64
  at::Tensor covariance;   ///< [D, D] float64
};

/// Count, mean and squared deviations of features that come a batch at a time, in float64: memory
/// does not grow with their number.
///
/// Paper: Chan, Golub & LeVeque 1979, "Updating formulae and a pairwise algorithm for computing
///        sample variances", Eq. (2.1). Unlike a difference of raw sums it loses no digits where
///        the mean is large.
class Moments {
 public:
  explicit Moments(std::int64_t feature_count);
  /// Goes on from what mean() and deviations() gave.
  Moments(std::int64_t count, at::Tensor mean, at::Tensor deviations)
      : count_(count), mean_(std::move(mean)), deviations_(std::move(deviations)) {}

  /// features: [N, D], any floating dtype and device. Throws DataError if one is NaN or infinite.
  void add(const at::Tensor& features);
  /// Replaces the moments by those of all ranks' features; every rank calls it.
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
