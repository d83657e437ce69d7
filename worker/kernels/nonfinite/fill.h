#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/launch/scalar_type.h"

/// How nonfinite_flags computes: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// A tensor that is looked through.
struct NonfiniteArray {
  const void* data = nullptr;
  std::int64_t element_count = 0;
};

/// The arrays of a launch, whose arguments fill at most 4 KiB.
constexpr std::size_t kMostNonfiniteArrays = 240;

struct NonfiniteTask {
  ScalarType type = ScalarType::kFloat32;  ///< or kFloat64, of all arrays
  float* any = nullptr;                    ///< set to 1 if an array has a NaN or infinity
  float* flags = nullptr;                  ///< one for each array, which is set to 1 as well
};

/// Looks through arrays in host memory, on all threads of ATen.
void nonfinite_reference(std::span<const NonfiniteArray> arrays, const NonfiniteTask& task);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device, for at most
/// kMostNonfiniteArrays: one launch. Throws DeviceError if it fails, and in a build without CUDA.
void nonfinite_kernel(std::span<const NonfiniteArray> arrays, const NonfiniteTask& task,
                      void* cuda_stream);

}  // namespace ganscale::kernels
