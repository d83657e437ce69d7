#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/error.h"

/// Kernel launches. Kernels are plain C++ except for CUDA's own names, so that tests can compile
/// them for the host as well.
namespace ganscale::kernels {

struct Grid {
  dim3 blocks;
  dim3 threads;  ///< of a block
};

/// Returns the number of blocks of `threads` for this many elements, at most `most`.
inline unsigned block_count(std::int64_t elements, unsigned threads, std::int64_t most) {
  return static_cast<unsigned>(std::min((elements + threads - 1) / threads, most));
}

/// Returns a grid with one thread per element, but at most 4096 blocks: kernels use grid-stride
/// loops.
inline Grid grid_of(std::int64_t element_count) {
  constexpr unsigned kThreads = 256;
  return {block_count(element_count, kThreads, 4096), kThreads};
}

/// The threads of a block that works on an array of a batch.
constexpr unsigned kBatchThreads = 256;

/// Returns a grid for the arrays of a batch: blocks of one blockIdx.y work on one array, as many
/// blocks of kBatchThreads as the largest needs, but at most `most`, which keep the device busy.
///
/// element_count: the member of an array that counts its elements.
template <class Array, class Count>
Grid grid_of_batch(std::span<const Array> arrays, Count Array::* element_count,
                   std::int64_t most = 128) {
  std::int64_t largest = 0;
  for (const Array& one : arrays) largest = std::max<std::int64_t>(largest, one.*element_count);
  return {dim3(block_count(largest, kBatchThreads, most), static_cast<unsigned>(arrays.size())),
          kBatchThreads};
}

/// The arrays of a launch, as a kernel's argument: all arguments have 4 KiB at most.
template <class Array, std::size_t kMost>
struct Batch {
  Array arrays[kMost];
};

/// Launches a kernel on `cuda_stream` (a cudaStream_t) of the current device. Does nothing for an
/// empty grid. Throws DeviceError with `what` if the launch fails.
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

/// Launches a kernel on arrays, each of which counts its elements in `element_count`, with
/// grid_of_batch(). More arrays than its batch has room for are a bug.
template <class Array, std::size_t kMost, class... Parameters>
void launch_on_batch(const char* what, std::span<const Array> arrays, void* cuda_stream,
                     void (*kernel)(Batch<Array, kMost>, Parameters...),
                     const std::type_identity_t<Parameters>&... arguments) {
  check(arrays.size() <= kMost, std::string("too many arrays for one launch: ") + what);
  Batch<Array, kMost> batch;
  std::copy(arrays.begin(), arrays.end(), batch.arrays);
  launch_kernel(what, grid_of_batch(arrays, &Array::element_count), cuda_stream, kernel, batch,
                arguments...);
}

}  // namespace ganscale::kernels
