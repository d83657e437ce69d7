#pragma once

#include <cstdint>
#include <span>
#include <string>

/// What computing costs: the operations that a program gives to a device, and the time that a
/// device takes for them. Nothing is measured: a device need not be there.
namespace ganscale::cost {

/// What the time of an operation depends on.
enum class Kind {
  kConvolution,   ///< floating-point operations of a convolution; a transposed one is kDataGradient
  kDataGradient,  ///< of a transposed convolution: a convolution's gradient of its input
  kWeightGradient,  ///< of a convolution's gradient of its weight
  kMatrixProduct,
  kMemory,     ///< bytes: everything else
  kAllReduce,  ///< bytes between ranks
  kHostRead,   ///< nothing but that the host waits for a value
};

/// What an operation computes in, as its tensors say.
enum class Number { kFloat64, kFloat32, kLowPrecision };

/// One call that starts something on a device.
struct Operation {
  std::string name = {};  ///< "aten::add", "ganscale::upfirdn2d"
  Kind kind = Kind::kMemory;
  Number number = Number::kFloat32;
  /// Two for a multiplication and an addition; for convolutions and matrix products only. Zeros of
  /// the padding are multiplied as well.
  double flops = 0;
  double bytes = 0;  ///< read and written, or reduced
  int launches = 1;
};

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
