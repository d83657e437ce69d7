#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The tensors of a computation; those that its order does not use are undefined.
struct Operands {
  at::Tensor x;  // the result, for a derivative of a piecewise linear activation
  at::Tensor bias;
  at::Tensor gradient;
  at::Tensor tangent;
};

// Autograd functions do not take undefined tensors: an empty one means no bias.
at::Tensor or_empty(const at::Tensor& bias, const at::Tensor& x) {
  return bias.defined() ? bias : at::empty({0}, x.options());
}

const void* data_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.numel() > 0 ? tensor.const_data_ptr() : nullptr;
}

ChannelLayout channel_layout_of(const at::Tensor& x) {
  return {.element_count = x.numel(), .channel_count = x.size(1), .channel_stride = x.stride(1)};
}

at::Tensor compute_bias_act(const Operands& in, const BiasActRule& rule, BiasActOrder order) {
  const at::Tensor x = in_dense_layout(in.x);
  const at::Tensor gradient = in.gradient.defined() ? in_layout_of(in.gradient, x) : at::Tensor();
  const at::Tensor tangent = in.tangent.defined() ? in_layout_of(in.tangent, x) : at::Tensor();
  const at::Tensor bias = in.bias.defined() ? in.bias.contiguous() : at::Tensor();
  if (!takes_kernels(x) && is_low_precision(scalar_type_of(x.scalar_type()))) {
    const Operands wide{upcast(x), upcast(bias), upcast(gradient), upcast(tangent)};
    return compute_bias_act(wide, rule, order).to(x.scalar_type());
  }
  const at::Tensor out = at::empty_like(x);
  const auto arrays = [&] {
    return BiasActArrays{.out = out.mutable_data_ptr(),
                         .x = data_of(x),
                         .bias = data_of(bias),
                         .gradient = data_of(gradient),
                         .tangent = data_of(tangent)};
  };
  const BiasActTask task{scalar_type_of(x.scalar_type()), channel_layout_of(x), rule, order};
  if (!takes_kernels(x)) {
    bias_act_reference(arrays(), task);
  } else {
    launch_on_device("ganscale::bias_act", {{x, bias, gradient, tangent}, {out}},
                     [&](void* stream) { bias_act_kernel(arrays(), task, stream); });
  }
  return out;
}

at::Tensor sum_over_all_but_channels(const at::Tensor& gradient) {
  std::vector<std::int64_t> dims(gradient.dim());
  std::iota(dims.begin(), dims.end(), 0);
  dims.erase(dims.begin() + 1);
  return gradient.sum(dims);
}

void save_rule(AutogradContext* context, const BiasActRule& rule) {
  context->saved_data["rule"] =
      std::vector<double>{static_cast<double>(rule.activation), rule.gain, rule.clamp, rule.slope};
}

BiasActRule saved_rule(AutogradContext* context) {
  const auto values = context->saved_data["rule"].toDoubleVector();
  return {static_cast<Activation>(values[0]), values[1], values[2], values[3]};
}

/// Returns the bound that a clamped value of this dtype has in memory: a derivative compares with
/// what was stored, which in a low-precision type may lie below the bound that was asked for.
double stored_bound(const std::optional<double>& clamp, at::ScalarType dtype) {
  if (!clamp) return -1;
  const auto narrow = static_cast<float>(*clamp);
  switch (dtype) {
    case at::kHalf: return static_cast<float>(c10::Half(narrow));
    case at::kBFloat16: return static_cast<float>(c10::BFloat16(narrow));
    case at::kFloat: return narrow;
    default: return *clamp;
  }
}

/// gradient * gain f'(u), linear in the gradient.
struct BiasActDerivative : torch::autograd::Function<BiasActDerivative> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gradient,
                            const at::Tensor& x, const at::Tensor& bias, const BiasActRule& rule) {
    save_rule(context, rule);
    const bool bends = !is_piecewise_linear(rule.activation);
    context->save_for_backward({bends ? gradient : at::Tensor(), x, bias});
    return compute_bias_act({x, bias, gradient, {}}, rule, BiasActOrder::kDerivative);
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const auto saved = context->get_saved_variables();
    const BiasActRule rule = saved_rule(context);
    at::Tensor d_gradient;
    at::Tensor d_x;
    at::Tensor d_bias;
    if (context->needs_input_grad(0)) d_gradient = apply(tangents[0], saved[1], saved[2], rule);
    const bool needs_bend = context->needs_input_grad(1) || context->needs_input_grad(2);
    if (needs_bend && !is_piecewise_linear(rule.activation)) {
      // Third derivatives are not needed.
      const at::NoGradGuard no_grad;
      d_x = compute_bias_act({saved[1], saved[2], saved[0], tangents[0]}, rule,
                             BiasActOrder::kSecondDerivative);
      if (context->needs_input_grad(2)) d_bias = sum_over_all_but_channels(d_x);
    }
    return {d_gradient, d_x, d_bias, at::Tensor()};
  }
};

struct BiasActValue : torch::autograd::Function<BiasActValue> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            const BiasActRule& rule) {
    save_rule(context, rule);
    const at::Tensor result = compute_bias_act({x, bias, {}, {}}, rule, BiasActOrder::kValue);
    if (is_piecewise_linear(rule.activation)) {
      context->save_for_backward({result, at::empty({0}, x.options())});
    } else {
      context->save_for_backward({x, bias});
    }
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const BiasActRule rule = saved_rule(context);
    at::Tensor d_x;
    if (rule.activation == Activation::kLinear && rule.clamp < 0) {
      d_x = rule.gain == 1 ? gradients[0] : gradients[0].mul(rule.gain);
    } else {
      const bool from_result = is_piecewise_linear(rule.activation);
      d_x = BiasActDerivative::apply(gradients[0], from_result ? saved[0].detach() : saved[0],
                                     saved[1], rule);
    }
    at::Tensor d_bias;
    if (context->needs_input_grad(1)) d_bias = sum_over_all_but_channels(d_x);
    return {d_x, d_bias, at::Tensor()};
  }
};

}  // namespace

double default_gain(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
    case Activation::kLeakyRelu:
    case Activation::kSwish: return std::sqrt(2.0);
    default: return 1;
  }
}

at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, const BiasAct& options) {
  check(x.dim() >= 2 && x.numel() > 0, "bias_act takes a batch [N, C, ...] that is not empty");
  check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == x.size(1)),
        "bias_act takes a bias per channel");
  check(options.gain > 0 && options.slope > 0, "bias_act reads the sign off its result");
  return BiasActValue::apply(x, or_empty(bias, x),
                             BiasActRule{.activation = options.activation,
                                         .gain = options.gain,
                                         .clamp = stored_bound(options.clamp, x.scalar_type()),
                                         .slope = options.slope});
}

}  // namespace ganscale::kernels
