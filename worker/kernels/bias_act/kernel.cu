#include <cuda_runtime.h>

#include "kernels/bias_act/fill.h"
#include "kernels/launch/channel_walk.cuh"
#include "kernels/launch/dispatch.cuh"

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

/// What a fill has to do beside its values.
enum class Beside { kNothing, kAddend, kSums };

/// Whether a derivative is computed from the result.
constexpr bool is_from_result(Activation activation, BiasActOrder order) {
  return is_piecewise_linear(activation) && order != BiasActOrder::kValue &&
         order != BiasActOrder::kDerivativeOfInput;
}

template <class T, Activation kActivation, BiasActOrder kOrder>
__device__ T result_of(const Element<T>& in, const BiasActRule& rule) {
  using Of = Curve<T, kActivation>;
  const T gain = static_cast<T>(rule.gain);
  const T clamp = static_cast<T>(rule.clamp);
  const T slope = static_cast<T>(rule.slope);
  const T y = is_from_result(kActivation, kOrder) ? in.u : Of::value(in.u, slope) * gain;
  const bool clamped = clamp >= 0 && abs(y) >= clamp;
  if constexpr (kOrder == BiasActOrder::kValue) return clamped ? copysign(clamp, y) : y;
  if (clamped) return T(0);
  if constexpr (kOrder == BiasActOrder::kSecondDerivative) {
    return in.gradient * in.tangent * (Of::second(in.u) * gain);
  }
  return in.gradient * (Of::derivative(in.u, slope) * gain);
}

// Elements of a vector; the curves that bend are computed one by one.
template <class Stored, Activation kActivation>
constexpr int kWidth = is_piecewise_linear(kActivation) ? kVectorBytes / sizeof(Stored) : 1;

template <BiasActOrder kOrder, Beside kBeside, class Stored>
__device__ auto arrays_of(const BiasActArrays& arrays) {
  const auto stored = [](const void* array) { return static_cast<const Stored*>(array); };
  auto* out = static_cast<Stored*>(arrays.out);
  if constexpr (kOrder == BiasActOrder::kSecondDerivative) {
    return WalkedArrays<Stored, 3>{
        {stored(arrays.x), stored(arrays.gradient), stored(arrays.tangent)}, out};
  } else if constexpr (kOrder != BiasActOrder::kValue) {
    return WalkedArrays<Stored, 2>{{stored(arrays.x), stored(arrays.gradient)}, out};
  } else if constexpr (kBeside == Beside::kAddend) {
    return WalkedArrays<Stored, 2>{{stored(arrays.x), stored(arrays.addend)}, out};
  } else {
    return WalkedArrays<Stored, 1>{{stored(arrays.x)}, out};
  }
}

// Stored is the type in memory, T the type of the computation.
template <class Stored, class T, Activation kActivation, BiasActOrder kOrder, Beside kBeside>
__global__ void fill(BiasActArrays arrays, BiasActRule rule, ChannelWalk walk, bool in_vectors) {
  constexpr int kElements = kWidth<Stored, kActivation>;
  constexpr bool kHasBias = !is_from_result(kActivation, kOrder);
  const Strip strip = strip_of<kElements>(walk);
  [[maybe_unused]] T bias[kElements] = {};
  if (kHasBias && arrays.bias != nullptr) {
    read_values(static_cast<const Stored*>(arrays.bias), walk, strip, bias);
  }
  [[maybe_unused]] T sums[kElements] = {};
  const auto compute = [&](int j, const Stored* elements) {
    Element<T> in{static_cast<T>(elements[0])};
    if constexpr (kHasBias) in.u += bias[j];
    if constexpr (kOrder != BiasActOrder::kValue) in.gradient = static_cast<T>(elements[1]);
    if constexpr (kOrder == BiasActOrder::kSecondDerivative) {
      in.tangent = static_cast<T>(elements[2]);
    }
    T result = result_of<T, kActivation, kOrder>(in, rule);
    if constexpr (kBeside == Beside::kAddend) result += static_cast<T>(elements[1]);
    if constexpr (kBeside == Beside::kSums) sums[j] += result;
    return static_cast<Stored>(result);
  };
  walk_along<kElements>(strip, in_vectors, arrays_of<kOrder, kBeside, Stored>(arrays), compute);
  if constexpr (kBeside == Beside::kSums)
    store_sums(sums, walk, static_cast<T*>(arrays.partial_sums));
}

/// Calls start(kernel) with the kernel of this order that also does what the arrays ask for.
template <class Stored, class T, Activation kActivation, BiasActOrder kOrder, class Start>
void start_with(const BiasActArrays& arrays, Start start) {
  if constexpr (kOrder == BiasActOrder::kValue && is_piecewise_linear(kActivation)) {
    if (arrays.addend != nullptr) {
      return start(fill<Stored, T, kActivation, kOrder, Beside::kAddend>);
    }
  }
  if constexpr (kOrder == BiasActOrder::kDerivative || kOrder == BiasActOrder::kDerivativeOfInput) {
    if (arrays.partial_sums != nullptr) {
      return start(fill<Stored, T, kActivation, kOrder, Beside::kSums>);
    }
  }
  start(fill<Stored, T, kActivation, kOrder, Beside::kNothing>);
}

/// Calls start(kernel) with the kernel of an order.
template <class Stored, class T, Activation kActivation, class Start>
void start_order(BiasActOrder order, const BiasActArrays& arrays, Start start) {
  switch (order) {
    case BiasActOrder::kValue:
      return start_with<Stored, T, kActivation, BiasActOrder::kValue>(arrays, start);
    case BiasActOrder::kDerivativeOfInput:
      if constexpr (is_piecewise_linear(kActivation)) {
        return start_with<Stored, T, kActivation, BiasActOrder::kDerivativeOfInput>(arrays, start);
      }
      [[fallthrough]];
    case BiasActOrder::kDerivative:
      return start_with<Stored, T, kActivation, BiasActOrder::kDerivative>(arrays, start);
    case BiasActOrder::kSecondDerivative:
      return start_with<Stored, T, kActivation, BiasActOrder::kSecondDerivative>(arrays, start);
  }
}

template <class Stored, class T, Activation kActivation>
void launch(const BiasActArrays& arrays, const BiasActTask& task, void* stream) {
  constexpr int kElements = kWidth<Stored, kActivation>;
  const bool has_bias = arrays.bias != nullptr && !is_from_result(kActivation, task.order);
  const bool knows_channels = has_bias || arrays.partial_sums != nullptr;
  const ChannelWalk walk =
      knows_channels ? walk_of(task) : walk_over_planes(1, task.layout.element_count, 1, kElements);
  const bool in_vectors =
      takes_vectors(walk, kElements, sizeof(Stored),
                    {arrays.out, arrays.x, arrays.gradient, arrays.tangent, arrays.addend});
  start_order<Stored, T, kActivation>(task.order, arrays, [&](auto kernel) {
    launch_kernel("bias_act", grid_of(walk), stream, kernel, arrays, task.rule, walk, in_vectors);
  });
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
  dispatch_all_types(task.type, [&]<class Stored, class T>() {
    launch_with_activation<Stored, T>(arrays, task, stream);
  });
}

}  // namespace ganscale::kernels
