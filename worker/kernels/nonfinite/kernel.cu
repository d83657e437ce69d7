#include <cuda_runtime.h>

#include "kernels/launch/dispatch.h"
#include "kernels/launch/launch.cuh"
#include "kernels/nonfinite/fill.h"

namespace ganscale::kernels {
namespace {

using NonfiniteBatch = Batch<NonfiniteArray, kMostNonfiniteArrays>;
static_assert(sizeof(NonfiniteBatch) + sizeof(NonfiniteTask) <= 4096);

// A column of blocks looks through one array of the batch.
template <class T>
__global__ void look_through(const __grid_constant__ NonfiniteBatch batch,
                             const __grid_constant__ NonfiniteTask task) {
  const NonfiniteArray& array = batch.arrays[blockIdx.y];
  const auto* const data = static_cast<const T*>(array.data);
  const std::int64_t stride = std::int64_t{gridDim.x} * kBatchThreads;
  bool found = false;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kBatchThreads + threadIdx.x;
       i < array.element_count; i += stride) {
    found |= !(data[i] - data[i] == 0);  // NaN where it is not finite
  }
  if (!found) return;
  atomicExch(task.any, 1.0F);
  atomicExch(task.flags + blockIdx.y, 1.0F);
}

}  // namespace

void nonfinite_kernel(std::span<const NonfiniteArray> arrays, const NonfiniteTask& task,
                      void* stream) {
  dispatch_full_precision(task.type, "nonfinite_flags", [&]<class T>() {
    launch_on_batch("nonfinite", arrays, stream, look_through<T>, task);
  });
}

}  // namespace ganscale::kernels
