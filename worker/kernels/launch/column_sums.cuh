#pragma once

#include <cuda_runtime.h>

/// Sums over the threads of a block that have the same columns.
namespace ganscale::kernels {

/// Adds up over threadIdx.y what each thread has for its kWidth columns, and calls
/// store(column of the block, sum), each by some thread. All threads of the block call it together.
/// kMostThreads: of a block.
template <unsigned kMostThreads, class T, int kWidth, class Store>
__device__ void sum_columns(const T (&mine)[kWidth], Store store) {
  __shared__ T of_thread[kMostThreads * kWidth];
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned columns = blockDim.x * kWidth;
  __syncthreads();  // sums that were passed before have been read
  for (int j = 0; j < kWidth; ++j) of_thread[thread * kWidth + j] = mine[j];
  __syncthreads();
  for (unsigned i = thread; i < columns; i += blockDim.x * blockDim.y) {
    T sum = 0;
    for (unsigned y = 0; y < blockDim.y; ++y) sum += of_thread[y * columns + i];
    store(i, sum);
  }
}

}  // namespace ganscale::kernels
