#include <cuda_runtime.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/launch/dispatch.h"
#include "kernels/launch/launch.cuh"
#include "kernels/weight_energies/fill.h"

namespace ganscale::kernels {
namespace {

constexpr std::int64_t kMostBlocks = 256;  // of a weight

using EnergyBatch = Batch<EnergyArrays, kMostEnergyArrays>;
static_assert(sizeof(EnergyBatch) <= 4096);

// A column of blocks takes one weight of the batch, a thread pairs of channels.
template <class T>
__global__ void fill(const __grid_constant__ EnergyBatch batch) {
  const EnergyArrays& a = batch.arrays[blockIdx.y];
  const auto* weight = static_cast<const T*>(a.weight);
  auto* out = static_cast<T*>(a.out);
  for (std::int64_t i = std::int64_t{blockIdx.x} * kBatchThreads + threadIdx.x; i < a.pair_count;
       i += std::int64_t{gridDim.x} * kBatchThreads) {
    const std::int64_t first = i * a.taps;
    if (a.gradient == nullptr) {
      T sum = 0;
      for (int k = 0; k < a.taps; ++k) sum += weight[first + k] * weight[first + k];
      out[i] = sum;
    } else {
      const T factor = 2 * static_cast<const T*>(a.gradient)[i];
      for (int k = 0; k < a.taps; ++k) out[first + k] = weight[first + k] * factor;
    }
  }
}

}  // namespace

void weight_energies_kernel(std::span<const EnergyArrays> arrays, ScalarType type, void* stream) {
  check(arrays.size() <= kMostEnergyArrays, "a launch of weight_energies takes 64 weights");
  EnergyBatch batch;
  std::copy(arrays.begin(), arrays.end(), batch.arrays);
  const Grid grid = grid_of_batch(arrays, &EnergyArrays::pair_count, kMostBlocks);
  dispatch_full_precision(type, "weight_energies", [&]<class T>() {
    launch_kernel("weight_energies", grid, stream, fill<T>, batch);
  });
}

}  // namespace ganscale::kernels
