#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/bias_act/fill.h"
#include "kernels/launch/launch.cuh"

namespace ganscale::kernels {
namespace {

template <class T>
__device__ T sigmoid(T u) {
  return T(1) / (T(1) + exp(-u));
}

// As in reference.cpp; derivative() of a piecewise linear activation takes the result.
template <class T, Activation kActivation>
struct Curve {
  static __device__ T value(T u, T) { return u; }
  static __device__ T derivative(T, T) { return T(1); }
  static __device__ T second(T) { return T(0); }
};

template <class T>
struct Curve<T, Activation::kRelu> {
  static __device__ T value(T u, T) { return u > 0 ? u : T(0); }
  static __device__ T derivative(T y, T) { return y > 0 ? T(1) : T(0); }
  static __device__ T second(T) { return T(0); }
};

template <class T>
struct Curve<T, Activation::kLeakyRelu> {
  static __device__ T value(T u, T slope) { return u > 0 ? u : u * slope; }
  static __device__ T derivative(T y, T slope) { return y > 0 ? T(1) : slope; }
  static __device__ T second(T) { return T(0); }
};

template <class T>
struct Curve<T, Activation::kTanh> {
  static __device__ T value(T u, T) { return tanh(u); }
  static __device__ T derivative(T u, T) { return T(1) - tanh(u) * tanh(u); }
  static __device__ T second(T u) { return T(-2) * tanh(u) * (T(1) - tanh(u) * tanh(u)); }
};

template <class T>
struct Curve<T, Activation::kSigmoid> {
  static __device__ T value(T u, T) { return sigmoid(u); }
  static __device__ T derivative(T u, T) { return sigmoid(u) * (T(1) - sigmoid(u)); }
  static __device__ T second(T u) { return derivative(u, T(0)) * (T(1) - T(2) * sigmoid(u)); }
};

template <class T>
struct Curve<T, Activation::kElu> {
  static __device__ T value(T u, T) { return u >= 0 ? u : expm1(u); }
  static __device__ T derivative(T u, T) { return u >= 0 ? T(1) : exp(u); }
  static __device__ T second(T u) { return u >= 0 ? T(0) : exp(u); }
};

template <class T>
struct Curve<T, Activation::kSelu> {
  static constexpr T kScale = T(1.0507009873554804934193349852946);
  static constexpr T kAlpha = T(1.6732632423543772848170429916717);
  static __device__ T value(T u, T) { return kScale * (u >= 0 ? u : kAlpha * expm1(u)); }
  static __device__ T derivative(T u, T) { return kScale * (u >= 0 ? T(1) : kAlpha * exp(u)); }
  static __device__ T second(T u) { return u >= 0 ? T(0) : kScale * kAlpha * exp(u); }
};

template <class T>
struct Curve<T, Activation::kSoftplus> {
  static __device__ T value(T u, T) { return (u > 0 ? u : T(0)) + log1p(exp(-abs(u))); }
  static __device__ T derivative(T u, T) { return sigmoid(u); }
  static __device__ T second(T u) { return sigmoid(u) * (T(1) - sigmoid(u)); }
};

template <class T>
struct Curve<T, Activation::kSwish> {
  static __device__ T value(T u, T) { return u * sigmoid(u); }
  static __device__ T derivative(T u, T) { return sigmoid(u) * (T(1) + u * (T(1) - sigmoid(u))); }
  static __device__ T second(T u) {
    const T s = sigmoid(u);
    return s * (T(1) - s) * (T(2) + u * (T(1) - T(2) * s));
  }
};

// What an element is computed from, in the type of the computation.
template <class T>
struct Element {
  T u = 0;  // input and bias; for derivatives of piecewise linear activations the result
  T gradient = 0;
  T tangent = 0;
};

template <class T, Activation kActivation, BiasActOrder kOrder>
__device__ T result_of(const Element<T>& in, const BiasActRule& rule) {
  using Of = Curve<T, kActivation>;
  const T gain = static_cast<T>(rule.gain);
  const T clamp = static_cast<T>(rule.clamp);
  const T slope = static_cast<T>(rule.slope);
  constexpr bool kFromResult = kOrder != BiasActOrder::kValue && is_piecewise_linear(kActivation);
  const T y = kFromResult ? in.u : Of::value(in.u, slope) * gain;
  const bool clamped = clamp >= 0 && abs(y) >= clamp;
  if constexpr (kOrder == BiasActOrder::kValue) return clamped ? copysign(clamp, y) : y;
  if (clamped) return T(0);
  if constexpr (kOrder == BiasActOrder::kDerivative) {
    return in.gradient * (Of::derivative(in.u, slope) * gain);
  }
  return in.gradient * in.tangent * (Of::second(in.u) * gain);
}

template <class T, class Stored>
__device__ T read(const void* array, std::int64_t i) {
  return static_cast<T>(static_cast<const Stored*>(array)[i]);
}

// Stored is the type in memory, T the type of the computation.
template <class Stored, class T, Activation kActivation, BiasActOrder kOrder>
__global__ void fill(BiasActArrays arrays, ChannelLayout layout, BiasActRule rule) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < layout.element_count; i += stride) {
    Element<T> in{read<T, Stored>(arrays.x, i)};
    constexpr bool kHasBias = kOrder == BiasActOrder::kValue || !is_piecewise_linear(kActivation);
    if (kHasBias && arrays.bias != nullptr) {
      const std::int64_t channel = i / layout.channel_stride % layout.channel_count;
      in.u += read<T, Stored>(arrays.bias, channel);
    }
    if (kOrder != BiasActOrder::kValue) in.gradient = read<T, Stored>(arrays.gradient, i);
    if (kOrder == BiasActOrder::kSecondDerivative) in.tangent = read<T, Stored>(arrays.tangent, i);
    static_cast<Stored*>(arrays.out)[i] =
        static_cast<Stored>(result_of<T, kActivation, kOrder>(in, rule));
  }
}

template <class Stored, class T, Activation kActivation>
void launch(const BiasActArrays& arrays, const BiasActTask& task, void* stream) {
  const auto start = [&](auto kernel) {
    launch_kernel("bias_act", grid_of(task.layout.element_count), stream, kernel, arrays,
                  task.layout, task.rule);
  };
  switch (task.order) {
    case BiasActOrder::kValue: return start(fill<Stored, T, kActivation, BiasActOrder::kValue>);
    case BiasActOrder::kDerivative:
      return start(fill<Stored, T, kActivation, BiasActOrder::kDerivative>);
    case BiasActOrder::kSecondDerivative:
      return start(fill<Stored, T, kActivation, BiasActOrder::kSecondDerivative>);
  }
}

template <class Stored, class T>
void launch_with_activation(const BiasActArrays& arrays, const BiasActTask& task, void* stream) {
  switch (task.rule.activation) {
    case Activation::kLinear: return launch<Stored, T, Activation::kLinear>(arrays, task, stream);
    case Activation::kRelu: return launch<Stored, T, Activation::kRelu>(arrays, task, stream);
    case Activation::kLeakyRelu:
      return launch<Stored, T, Activation::kLeakyRelu>(arrays, task, stream);
    case Activation::kTanh: return launch<Stored, T, Activation::kTanh>(arrays, task, stream);
    case Activation::kSigmoid: return launch<Stored, T, Activation::kSigmoid>(arrays, task, stream);
    case Activation::kElu: return launch<Stored, T, Activation::kElu>(arrays, task, stream);
    case Activation::kSelu: return launch<Stored, T, Activation::kSelu>(arrays, task, stream);
    case Activation::kSoftplus:
      return launch<Stored, T, Activation::kSoftplus>(arrays, task, stream);
    case Activation::kSwish: return launch<Stored, T, Activation::kSwish>(arrays, task, stream);
  }
}

}  // namespace

void bias_act_kernel(const BiasActArrays& arrays, const BiasActTask& task, void* stream) {
  switch (task.type) {
    case ScalarType::kFloat32: return launch_with_activation<float, float>(arrays, task, stream);
    case ScalarType::kFloat64: return launch_with_activation<double, double>(arrays, task, stream);
    case ScalarType::kFloat16: return launch_with_activation<__half, float>(arrays, task, stream);
    case ScalarType::kBFloat16:
      return launch_with_activation<__nv_bfloat16, float>(arrays, task, stream);
  }
}

}  // namespace ganscale::kernels
