#pragma once

#include <span>

#include "cost/operation.h"

namespace ganscale::cost {

/// The sum of operations. Not whole numbers: an average step has a sixteenth of a phase.
struct Work {
  double convolution_flops = 0;
  double data_gradient_flops = 0;
  double weight_gradient_flops = 0;
  double matrix_product_flops = 0;
  double memory_bytes = 0;      ///< read and written by all but convolutions and all-reduces
  double all_reduce_bytes = 0;  ///< of the reduced tensors of this rank
  double launches = 0;
  double host_reads = 0;  ///< times that the host waits for the device

  double flops() const;
  Work& operator+=(const Work& other);
  Work operator*(double factor) const;
};

Work work_of(std::span<const Operation> operations);

}  // namespace ganscale::cost
