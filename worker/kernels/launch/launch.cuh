#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/error.h"

/// How kernels are launched. They are written in plain C++ but for CUDA's own names, so that tests
/// compile them for the host, too.
namespace ganscale::kernels {

struct Grid {
  dim3 blocks;
  dim3 threads;  ///< of a block
};

/// Returns in how many blocks of `threads` so many elements are, at most `most`.
inline unsigned block_count(std::int64_t elements, unsigned threads, std::int64_t most) {
  return static_cast<unsigned>(std::min((elements + threads - 1) / threads, most));
}

/// Returns a grid of a thread an element, up to 4096 blocks: the threads stride over the rest.
inline Grid grid_of(std::int64_t element_count) {
  constexpr unsigned kThreads = 256;
  return {block_count(element_count, kThreads, 4096), kThreads};
}

/// Starts a kernel in `cuda_stream` (a cudaStream_t) of the current device; nothing for a grid
/// without blocks. Throws DeviceError, which names `what`, if the launch fails.
template <class... Parameters>
void launch_kernel(const char* what, const Grid& grid, void* cuda_stream,
                   void (*kernel)(Parameters...),
                   const std::type_identity_t<Parameters>&... arguments) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.stream = static_cast<cudaStream_t>(cuda_stream);
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (status == cudaSuccess) return;
  throw DeviceError(std::string("launch of a kernel failed: ") + what + ": " +
                    cudaGetErrorString(status));
}

}  // namespace ganscale::kernels
