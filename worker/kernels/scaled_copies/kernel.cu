#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "base/error.h"
#include "kernels/launch/launch.cuh"
#include "kernels/scaled_copies/fill.h"

namespace ganscale::kernels {
namespace {

using ScaledBatch = Batch<ScaledArray, kMostScaledArrays>;
static_assert(sizeof(ScaledBatch) <= 4096);

// A column of blocks copies one tensor of the batch.
template <class From, class To>
__global__ void copy(const __grid_constant__ ScaledBatch batch) {
  using T = std::conditional_t<std::is_same_v<To, double>, double, float>;
  const ScaledArray& a = batch.arrays[blockIdx.y];
  const T factor = static_cast<T>(a.factor);
  const auto* in = static_cast<const From*>(a.in);
  for (std::int64_t i = std::int64_t{blockIdx.x} * kBatchThreads + threadIdx.x; i < a.element_count;
       i += std::int64_t{gridDim.x} * kBatchThreads) {
    const auto element = static_cast<std::int32_t>(i);
    const std::int32_t row = element / a.sizes[1];
    const std::int64_t from = std::int64_t{row / a.sizes[0]} * a.strides[0] +
                              std::int64_t{row % a.sizes[0]} * a.strides[1] +
                              std::int64_t{element % a.sizes[1]} * a.strides[2];
    T value = static_cast<T>(in[from]) * factor;
    if constexpr (std::is_same_v<To, T>) {
      if (a.weight != nullptr) {
        value += 2 * static_cast<const T*>(a.weight)[i] *
                 static_cast<const T*>(a.energy_gradient)[element / a.taps];
      }
    }
    static_cast<To*>(a.out)[i] = static_cast<To>(value);
  }
}

template <class From, class To>
void launch(std::span<const ScaledArray> arrays, void* stream) {
  launch_on_batch("scaled_copies", arrays, stream, copy<From, To>);
}

template <class From>
void launch_from(std::span<const ScaledArray> arrays, ScalarType to, void* stream) {
  switch (to) {
    case ScalarType::kFloat16: return launch<From, __half>(arrays, stream);
    case ScalarType::kBFloat16: return launch<From, __nv_bfloat16>(arrays, stream);
    default: return launch<From, float>(arrays, stream);
  }
}

}  // namespace

void scaled_copies_kernel(std::span<const ScaledArray> arrays, const ScaledCopyTask& task,
                          void* stream) {
  const bool is_double = task.from == ScalarType::kFloat64;
  check(is_double == (task.to == ScalarType::kFloat64),
        "scaled_copies converts between float32, float16 and bfloat16");
  switch (task.from) {
    case ScalarType::kFloat64: return launch<double, double>(arrays, stream);
    case ScalarType::kFloat16: return launch_from<__half>(arrays, task.to, stream);
    case ScalarType::kBFloat16: return launch_from<__nv_bfloat16>(arrays, task.to, stream);
    case ScalarType::kFloat32: return launch_from<float>(arrays, task.to, stream);
  }
}

}  // namespace ganscale::kernels
