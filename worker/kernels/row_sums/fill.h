#pragma once

#include <cstdint>

#include "kernels/launch/scalar_type.h"

/// How the partial sums of a kernel's blocks become one.
namespace ganscale::kernels {

/// out[c] = sum over r of rows[r, c]. Rows are float64 if `type`, out's, is, else float32.
struct RowSums {
  ScalarType type = ScalarType::kFloat32;
  void* out = nullptr;
  const void* rows = nullptr;
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
};

/// Computes in device memory, in `cuda_stream` (a cudaStream_t) of the current device, in an order
/// that never changes. Throws DeviceError if the launch fails, and in a build without CUDA.
void row_sums_kernel(const RowSums& sums, void* cuda_stream);

}  // namespace ganscale::kernels
