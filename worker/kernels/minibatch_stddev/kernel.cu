#include <cuda_runtime.h>

#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/minibatch_stddev/fill.h"

namespace ganscale::kernels {
namespace {

constexpr unsigned kThreads = 256;

// One block per feature of a group. Stored is the type in memory, T the type of the computation.
template <class Stored, class T>
__global__ void fill(const Stored* x, Stored* out, StddevShape shape) {
  const std::int64_t stride = shape.group_count * shape.feature_count * shape.value_count;
  const Stored* first = x + std::int64_t{blockIdx.x} * shape.value_count;
  T total = 0;
  for (std::int64_t value = threadIdx.x; value < shape.value_count; value += kThreads) {
    T mean = 0;
    for (std::int64_t i = 0; i < shape.group_size; ++i) {
      mean += static_cast<T>(first[value + i * stride]);
    }
    mean /= static_cast<T>(shape.group_size);
    T variance = 0;
    for (std::int64_t i = 0; i < shape.group_size; ++i) {
      const T difference = static_cast<T>(first[value + i * stride]) - mean;
      variance += difference * difference;
    }
    variance /= static_cast<T>(shape.group_size);
    total += sqrt(variance + static_cast<T>(kStddevEpsilon));
  }
  __shared__ T sums[kThreads];
  sums[threadIdx.x] = total;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = static_cast<Stored>(sums[0] / static_cast<T>(shape.value_count));
  }
}

template <class Stored, class T>
void launch(const void* x, void* out, const StddevShape& shape, void* cuda_stream) {
  const auto blocks = static_cast<unsigned>(shape.group_count * shape.feature_count);
  launch_kernel("minibatch_stddev", {blocks, kThreads}, cuda_stream, fill<Stored, T>,
                static_cast<const Stored*>(x), static_cast<Stored*>(out), shape);
}

}  // namespace

void minibatch_stddev_kernel(const void* x, void* out, const StddevShape& shape,
                             void* cuda_stream) {
  dispatch_all_types(
      shape.type, [&]<class Stored, class T>() { launch<Stored, T>(x, out, shape, cuda_stream); });
}

}  // namespace ganscale::kernels
