#pragma once

#include <cstdint>

#include "kernels/launch/channel_walk.h"

/// How bias_act computes: plain pointers, the same contract for every device.
namespace ganscale::kernels {

enum class Activation {
  kLinear,
  kRelu,
  kLeakyRelu,
  kTanh,
  kSigmoid,
  kElu,
  kSelu,
  kSoftplus,
  kSwish
};

/// Whether the derivative can be read off the result, so that the input need not be kept.
constexpr bool is_piecewise_linear(Activation activation) {
  return activation == Activation::kLinear || activation == Activation::kRelu ||
         activation == Activation::kLeakyRelu;
}

struct BiasActRule {
  Activation activation = Activation::kLinear;
  double gain = 1;
  double clamp = -1;  ///< a value of the stored type, so that it can be found again; below 0: none
  double slope = 0.2;
};

/// Where a value's channel is in dense memory: element i belongs to channel
/// i / channel_stride % channel_count.
struct ChannelLayout {
  std::int64_t element_count = 0;
  std::int64_t channel_count = 1;
  std::int64_t channel_stride = 1;
};

/// The arrays of a fill, of the layout's element count but for the bias: [channel_count] or null.
struct BiasActArrays {
  void* out = nullptr;
  const void* x = nullptr;  ///< the input; with kDerivative of a piecewise linear rule the result
  const void* bias = nullptr;
  const void* gradient = nullptr;  ///< of the result; derivatives only
  const void* tangent = nullptr;   ///< second derivative only
  /// Null, or with a kValue of a piecewise linear activation: what is added to the clamped values.
  const void* addend = nullptr;
  /// Null, or with a first derivative on a device: what its blocks have summed over all but the channels,
  /// [walk_of(task).partial_rows(), channel_count], in float32 for low-precision types.
  void* partial_sums = nullptr;
};

/// What a fill writes, with u = x + bias, and 0 for the derivatives where the value is clamped.
enum class BiasActOrder {
  kValue,       ///< clamp(gain f(u))
  kDerivative,  ///< gradient * gain f'(u)
  /// The same of a piecewise linear activation, from the input instead of the result.
  kDerivativeOfInput,
  kSecondDerivative,  ///< gradient * tangent * gain f''(u)
};

struct BiasActTask {
  ScalarType type = ScalarType::kFloat32;
  ChannelLayout layout;
  BiasActRule rule;
  BiasActOrder order = BiasActOrder::kValue;
};

/// Returns how a device walks over a fill that knows its channels. The piecewise linear activations
/// belong to large layers: they read and write vectors.
constexpr ChannelWalk walk_of(const BiasActTask& task) {
  const ChannelLayout& in = task.layout;
  const std::int64_t width =
      is_piecewise_linear(task.rule.activation) ? vector_elements(task.type) : 1;
  if (in.channel_count == 1) return walk_over_planes(1, in.element_count, 1, width);
  if (in.channel_stride == 1) {
    return walk_over_pixels(1, in.element_count / in.channel_count, in.channel_count, width);
  }
  return walk_over_planes(in.element_count / in.channel_stride, in.channel_stride, in.channel_count,
                          width);
}

/// Fills host memory, on all threads of ATen; float32 and float64 only.
void bias_act_reference(const BiasActArrays& arrays, const BiasActTask& task);

/// Fills device memory in `cuda_stream` (a cudaStream_t) of the current device; low-precision types
/// are computed in float32. Throws DeviceError if the launch fails, and in a build without CUDA.
void bias_act_kernel(const BiasActArrays& arrays, const BiasActTask& task, void* cuda_stream);

}  // namespace ganscale::kernels
