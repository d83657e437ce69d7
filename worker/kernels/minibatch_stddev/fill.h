#pragma once

#include <cstdint>

#include "kernels/launch/scalar_type.h"

/// How minibatch_stddev computes: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// x is contiguous: [group_size, group_count, feature_count, value_count].
struct StddevShape {
  ScalarType type = ScalarType::kFloat32;
  std::int64_t group_size = 1;
  std::int64_t group_count = 0;
  std::int64_t feature_count = 1;
  std::int64_t value_count = 0;  ///< channels of a feature times pixels
};

constexpr double kStddevEpsilon = 1e-8;  // added to the variance

/// Writes out[group, feature], the mean of sqrt(variance + epsilon); sums in float32 for
/// low-precision types. Host memory: float32 and float64 only.
void minibatch_stddev_reference(const void* x, void* out, const StddevShape& shape);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device. Throws
/// DeviceError if the launch fails, and in a build without CUDA.
void minibatch_stddev_kernel(const void* x, void* out, const StddevShape& shape, void* cuda_stream);

}  // namespace ganscale::kernels
