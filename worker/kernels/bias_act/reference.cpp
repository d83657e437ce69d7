#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "kernels/bias_act/fill.h"
#include "kernels/launch/dispatch.h"

namespace ganscale::kernels {
namespace {

template <class T>
T sigmoid(T u) {
  return 1 / (1 + std::exp(-u));
}

// The three functions of u = x + bias; derivative() of a piecewise linear one takes the result.
template <class T, Activation kActivation>
struct Curve {
  T slope;

  T value(T u) const {
    if constexpr (kActivation == Activation::kRelu) return u > 0 ? u : 0;
    if constexpr (kActivation == Activation::kLeakyRelu) return u > 0 ? u : u * slope;
    if constexpr (kActivation == Activation::kTanh) return std::tanh(u);
    if constexpr (kActivation == Activation::kSigmoid) return sigmoid(u);
    return u;
  }
  T derivative(T u) const {
    if constexpr (kActivation == Activation::kRelu) return u > 0 ? 1 : 0;
    if constexpr (kActivation == Activation::kLeakyRelu) return u > 0 ? 1 : slope;
    if constexpr (kActivation == Activation::kTanh) return 1 - value(u) * value(u);
    if constexpr (kActivation == Activation::kSigmoid) return value(u) * (1 - value(u));
    return 1;
  }
  T second(T u) const {
    if constexpr (kActivation == Activation::kTanh) return -2 * value(u) * derivative(u);
    if constexpr (kActivation == Activation::kSigmoid) return derivative(u) * (1 - 2 * value(u));
    return 0;
  }
};

template <class T>
struct Curve<T, Activation::kElu> {
  T slope;
  T value(T u) const { return u >= 0 ? u : std::expm1(u); }
  T derivative(T u) const { return u >= 0 ? 1 : std::exp(u); }
  T second(T u) const { return u >= 0 ? 0 : std::exp(u); }
};

// Klambauer et al. 2017, arXiv:1706.02515, Eq. (14).
template <class T>
struct Curve<T, Activation::kSelu> {
  static constexpr T kScale = 1.0507009873554804934193349852946;
  static constexpr T kAlpha = 1.6732632423543772848170429916717;
  T slope;
  T value(T u) const { return u >= 0 ? kScale * u : kScale * kAlpha * std::expm1(u); }
  T derivative(T u) const { return u >= 0 ? kScale : kScale * kAlpha * std::exp(u); }
  T second(T u) const { return u >= 0 ? 0 : kScale * kAlpha * std::exp(u); }
};

template <class T>
struct Curve<T, Activation::kSoftplus> {
  T slope;
  T value(T u) const { return std::max(u, T(0)) + std::log1p(std::exp(-std::abs(u))); }
  T derivative(T u) const { return sigmoid(u); }
  T second(T u) const { return sigmoid(u) * (1 - sigmoid(u)); }
};

template <class T>
struct Curve<T, Activation::kSwish> {
  T slope;
  T value(T u) const { return u * sigmoid(u); }
  T derivative(T u) const { return sigmoid(u) * (1 + u * (1 - sigmoid(u))); }
  T second(T u) const { return sigmoid(u) * (1 - sigmoid(u)) * (2 + u * (1 - 2 * sigmoid(u))); }
};

// A run of contiguous elements.
template <class T>
struct Run {
  std::int64_t first;
  std::int64_t length;
  const T* bias;   // of the first element; null if there is none
  bool is_shared;  // one bias for all elements, otherwise one each
  T bias_at(std::int64_t i) const { return bias == nullptr ? T(0) : bias[is_shared ? 0 : i]; }
};

template <class T, Activation kActivation>
class Filler {
 public:
  Filler(const BiasActArrays& arrays, const BiasActRule& rule)
      : out_(static_cast<T*>(arrays.out)),
        x_(static_cast<const T*>(arrays.x)),
        gradient_(static_cast<const T*>(arrays.gradient)),
        tangent_(static_cast<const T*>(arrays.tangent)),
        addend_(static_cast<const T*>(arrays.addend)),
        curve_{static_cast<T>(rule.slope)},
        gain_(static_cast<T>(rule.gain)),
        clamp_(static_cast<T>(rule.clamp)) {}

  void fill(const Run<T>& run, BiasActOrder order) const {
    if (order == BiasActOrder::kValue) {
      fill_value(run);
      return add(run);
    }
    if (order == BiasActOrder::kSecondDerivative) return fill_second(run);
    const T* x = x_ + run.first;
    if (is_piecewise_linear(kActivation) && order == BiasActOrder::kDerivative) {
      const auto result_at = [x](std::int64_t i) { return x[i]; };
      return fill_derivative(run, result_at, [](T y) { return y; });
    }
    const auto value_of = [curve = curve_, gain = gain_](T u) { return curve.value(u) * gain; };
    if (run.bias != nullptr && !run.is_shared) {
      const auto input_at = [x, bias = run.bias](std::int64_t i) { return x[i] + bias[i]; };
      return fill_derivative(run, input_at, value_of);
    }
    const auto input_at = [x, shared = run.bias_at(0)](std::int64_t i) { return x[i] + shared; };
    fill_derivative(run, input_at, value_of);
  }

 private:
  // The compiler vectorizes these loops because they read no members, which `out` might alias.
  void fill_value(const Run<T>& run) const {
    T* __restrict__ out = out_ + run.first;
    const T* x = x_ + run.first;
    const T* bias = run.bias;
    const auto curve = curve_;
    const T gain = gain_;
    const T clamp = clamp_;
    if (bias == nullptr || run.is_shared) {
      const T shared = run.bias_at(0);
      for (std::int64_t i = 0; i < run.length; ++i) out[i] = curve.value(x[i] + shared) * gain;
    } else {
      for (std::int64_t i = 0; i < run.length; ++i) out[i] = curve.value(x[i] + bias[i]) * gain;
    }
    if (clamp < 0) return;
    for (std::int64_t i = 0; i < run.length; ++i)
      out[i] = std::min(std::max(out[i], -clamp), clamp);
  }

  void add(const Run<T>& run) const {
    if (addend_ == nullptr) return;
    T* __restrict__ out = out_ + run.first;
    const T* addend = addend_ + run.first;
    for (std::int64_t i = 0; i < run.length; ++i) out[i] += addend[i];
  }

  bool is_clamped(T u) const { return clamp_ >= 0 && std::abs(curve_.value(u) * gain_) >= clamp_; }

  /// from_at(i): what the derivative is computed from, the input or the result; value_of(from): the
  /// result before it is clamped.
  template <class FromAt, class ValueOf>
  void fill_derivative(const Run<T>& run, FromAt from_at, ValueOf value_of) const {
    T* __restrict__ out = out_ + run.first;
    const T* g = gradient_ + run.first;
    const auto curve = curve_;
    const T gain = gain_;
    const T clamp = clamp_;
    for (std::int64_t i = 0; i < run.length; ++i) {
      out[i] = g[i] * (curve.derivative(from_at(i)) * gain);
    }
    if (clamp < 0) return;
    for (std::int64_t i = 0; i < run.length; ++i) {
      out[i] = std::abs(value_of(from_at(i))) < clamp ? out[i] : 0;
    }
  }

  void fill_second(const Run<T>& run) const {
    for (std::int64_t i = 0; i < run.length; ++i) {
      const T u = x_[run.first + i] + run.bias_at(i);
      const T bend = is_clamped(u) ? T(0) : curve_.second(u) * gain_;
      out_[run.first + i] = gradient_[run.first + i] * tangent_[run.first + i] * bend;
    }
  }

  T* out_;
  const T* x_;
  const T* gradient_;
  const T* tangent_;
  const T* addend_;
  Curve<T, kActivation> curve_;
  T gain_;
  T clamp_;
};

// Without a bias a run is any number of elements; otherwise the elements of a channel, or for
// channels last of a pixel.
template <class T, Activation kActivation>
void fill_all(const BiasActArrays& arrays, const BiasActTask& task) {
  constexpr std::int64_t kGrainElements = 16384;
  const ChannelLayout& layout = task.layout;
  const Filler<T, kActivation> filler(arrays, task.rule);
  const bool takes_bias =
      !is_piecewise_linear(kActivation) || task.order != BiasActOrder::kDerivative;
  const auto* bias = takes_bias ? static_cast<const T*>(arrays.bias) : nullptr;
  const bool channels_last = layout.channel_stride == 1;
  std::int64_t length = channels_last ? layout.channel_count : layout.channel_stride;
  if (bias == nullptr) length = kGrainElements;
  const auto fill_runs = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = row * length;
      const std::int64_t channel = channels_last ? 0 : row % layout.channel_count;
      filler.fill({.first = first,
                   .length = std::min(length, layout.element_count - first),
                   .bias = bias == nullptr ? nullptr : bias + channel,
                   .is_shared = !channels_last},
                  task.order);
    }
  };
  const std::int64_t run_count = (layout.element_count + length - 1) / length;
  at::parallel_for(0, run_count, std::max<std::int64_t>(1, kGrainElements / length), fill_runs);
}

template <class T>
void fill_with_activation(const BiasActArrays& arrays, const BiasActTask& task) {
  switch (task.rule.activation) {
    case Activation::kLinear: return fill_all<T, Activation::kLinear>(arrays, task);
    case Activation::kRelu: return fill_all<T, Activation::kRelu>(arrays, task);
    case Activation::kLeakyRelu: return fill_all<T, Activation::kLeakyRelu>(arrays, task);
    case Activation::kTanh: return fill_all<T, Activation::kTanh>(arrays, task);
    case Activation::kSigmoid: return fill_all<T, Activation::kSigmoid>(arrays, task);
    case Activation::kElu: return fill_all<T, Activation::kElu>(arrays, task);
    case Activation::kSelu: return fill_all<T, Activation::kSelu>(arrays, task);
    case Activation::kSoftplus: return fill_all<T, Activation::kSoftplus>(arrays, task);
    case Activation::kSwish: return fill_all<T, Activation::kSwish>(arrays, task);
  }
}

}  // namespace

void bias_act_reference(const BiasActArrays& arrays, const BiasActTask& task) {
  dispatch_full_precision(task.type, "the reference of bias_act",
                          [&]<class T>() { fill_with_activation<T>(arrays, task); });
}

}  // namespace ganscale::kernels
