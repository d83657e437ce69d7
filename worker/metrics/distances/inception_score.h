#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "comm/group/group.h"

namespace ganscale::metrics {

/// Mean and standard deviation over splits.
struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  ///< of the population: divided by the number of splits
};

/// Accumulates the inception score, exp(E_x KL(p(y|x) || p(y))) of each split, over batches on any
/// rank. Split s has the images from floor(s * image_count / splits) up to the next split.
///
/// Paper: Salimans et al. 2016, arXiv:1606.03498, Section 4.
class InceptionScore {
 public:
  /// image_count: of all ranks together; splits: at most image_count.
  InceptionScore(std::int64_t class_count, std::int64_t image_count, int splits);

  /// logits:   [N, classes], before the softmax. Throws DataError if one is NaN or infinite.
  /// images:   [N] int64, the numbers of these images in [0, image_count).
  void add(const at::Tensor& logits, const at::Tensor& images);
  /// Merges the sums of all ranks. All ranks call it.
  void merge(comm::Group& group);
  /// Throws DataError unless every split has an image.
  MeanAndDeviation score() const;

 private:
  std::int64_t image_count_;
  at::Tensor sums_;  // [splits, classes + 2] float64: of p, of p log p over classes, of 1
};

}  // namespace ganscale::metrics
