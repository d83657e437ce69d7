#include <cuda_runtime.h>

#include "kernels/launch/dispatch.h"
#include "kernels/launch/launch.cuh"
#include "kernels/multi_tensor_adam/fill.h"

namespace ganscale::kernels {
namespace {

using AdamBatch = Batch<AdamArrays, kMostAdamArrays>;
static_assert(sizeof(AdamBatch) + sizeof(AdamTask) <= 4096);

// The average of parameters that stay as they are.
template <class T>
__device__ void follow(const AdamArrays& arrays, T beta, std::int64_t begin, std::int64_t stride) {
  const auto* const parameter = static_cast<const T*>(arrays.parameter);
  auto* const average = static_cast<T*>(arrays.average);
  if (average == nullptr) return;
  for (std::int64_t i = begin; i < arrays.element_count; i += stride) {
    average[i] = parameter[i] + beta * (average[i] - parameter[i]);
  }
}

// A column of blocks updates one parameter of the batch.
template <class T>
__global__ void update(const __grid_constant__ AdamBatch batch,
                       const __grid_constant__ AdamTask task) {
  const AdamArrays& arrays = batch.arrays[blockIdx.y];
  const std::int64_t stride = std::int64_t{gridDim.x} * kBatchThreads;
  const std::int64_t begin = std::int64_t{blockIdx.x} * kBatchThreads;
  if (begin >= arrays.element_count) return;  // the whole block
  if (task.skip != nullptr && *task.skip != 0) {
    return follow<T>(arrays, static_cast<T>(task.average_beta), begin + threadIdx.x, stride);
  }
  __shared__ AdamFactors<T> f;
  if (threadIdx.x == 0) {
    const double step = *arrays.step;
    f = factors_of<T>(task, 1 - pow(task.rule.beta1, step), sqrt(1 - pow(task.rule.beta2, step)));
  }
  __syncthreads();
  auto* const average = static_cast<T*>(arrays.average);
  for (std::int64_t i = begin + threadIdx.x; i < arrays.element_count; i += stride) {
    const T old = static_cast<T*>(arrays.parameter)[i];
    const T slope = static_cast<const T*>(arrays.gradient)[i] + f.decay * old;
    T first = static_cast<T*>(arrays.first_moment)[i];
    T second = static_cast<T*>(arrays.second_moment)[i];
    first += f.gradient_part * (slope - first);
    second = f.beta2 * second + f.square_part * slope * slope;
    const T root = sqrt(second) * f.root_scale + f.epsilon;
    const T parameter = f.shrink * old - f.step_size * first / root;
    static_cast<T*>(arrays.first_moment)[i] = first;
    static_cast<T*>(arrays.second_moment)[i] = second;
    static_cast<T*>(arrays.parameter)[i] = parameter;
    if (average != nullptr) average[i] = parameter + f.average_beta * (average[i] - parameter);
  }
}

}  // namespace

void multi_tensor_adam_kernel(std::span<const AdamArrays> arrays, const AdamTask& task,
                              void* stream) {
  dispatch_full_precision(task.type, "multi_tensor_adam", [&]<class T>() {
    launch_on_batch("multi_tensor_adam", arrays, stream, update<T>, task);
  });
}

}  // namespace ganscale::kernels
