#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/launch/scalar_type.h"

/// How scaled_copies() computes: plain pointers.
namespace ganscale::kernels {

/// The memory of one tensor. Its axes are in the order in which the copy lies in memory, without
/// gaps. If `weight` is not null, 2 weight[i] energy_gradient[i / taps] is added to element i of
/// the copy: the gradient of the sums of squares over each kernel.
struct ScaledArray {
  void* out = nullptr;
  const void* in = nullptr;
  double factor = 1;
  const void* weight = nullptr;  ///< [pairs, taps] of the copy's type, as it lies in memory
  const void* energy_gradient = nullptr;  ///< [pairs] of that type
  std::int32_t taps = 1;
  std::int32_t element_count = 0;
  std::int32_t sizes[2] = {1, 1};       ///< of the second and the third axis
  std::int32_t strides[3] = {0, 0, 1};  ///< of `in`, in elements
};

/// The tensors of a launch, whose arguments fill at most 4 KiB.
constexpr std::size_t kMostScaledArrays = 56;

struct ScaledCopyTask {
  ScalarType from = ScalarType::kFloat32;
  ScalarType to = ScalarType::kFloat32;  ///< kFloat64 if and only if `from` is
};

/// Writes out = factor * in (+ the gradient of energies, into float32 and float64) in device memory, in `cuda_stream` (a cudaStream_t) of the current
/// device, for at most kMostScaledArrays: one launch. Throws DeviceError if it fails, and in a
/// build without CUDA.
void scaled_copies_kernel(std::span<const ScaledArray> arrays, const ScaledCopyTask& task,
                          void* cuda_stream);

}  // namespace ganscale::kernels
