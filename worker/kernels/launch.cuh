#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "base/error.h"

/// How kernels that stride over their elements are launched.
namespace ganscale::kernels {

struct Grid {
  unsigned blocks = 0;  ///< 0: nothing to do
  unsigned threads = 256;
};

/// Returns a grid of a thread an element, up to 4096 blocks: the threads stride over the rest.
inline Grid grid_of(std::int64_t element_count) {
  constexpr std::int64_t kMostBlocks = 4096;
  Grid grid;
  const std::int64_t wanted = (element_count + grid.threads - 1) / grid.threads;
  grid.blocks = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
  return grid;
}

/// Throws DeviceError if the last launch failed.
inline void require_launched(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return;
  throw DeviceError(std::string("launch of a kernel failed: ") + what + ": " +
                    cudaGetErrorString(status));
}

}  // namespace ganscale::kernels
