#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "comm/group.h"

namespace ganscale::metrics {

/// Mean and standard deviation over splits.
struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  ///< of the population: divided by the number of splits
};

/// The sums that the inception score is made of, for pictures that come a batch at a time on any
/// rank: exp(E_x KL(p(y|x) || p(y))) of each split, where split s holds the
/// pictures from floor(s * picture_count / splits) on, up to those of the next split.
///
/// Paper: Salimans et al. 2016, arXiv:1606.03498, Section 4.
class InceptionScore {
 public:
  /// picture_count: of all ranks together; splits: at most as many.
  InceptionScore(std::int64_t class_count, std::int64_t picture_count, int splits);

  /// logits:   [N, classes], before the softmax. Throws DataError if one is NaN or infinite.
  /// pictures: [N] int64, the numbers of these pictures in [0, picture_count).
  void add(const at::Tensor& logits, const at::Tensor& pictures);
  /// Adds up the sums of all ranks; every rank calls it.
  void merge(comm::Group& group);
  /// Throws DataError unless every split has a picture.
  MeanAndDeviation score() const;

 private:
  std::int64_t picture_count_;
  at::Tensor sums_;  // [splits, classes + 2] float64: of p, of p log p over classes, of 1
};

}  // namespace ganscale::metrics
