#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/row_sums/row_sums.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The tensors of a computation; those that its order does not use are undefined.
struct Operands {
  at::Tensor x;  // the result, for a derivative of a piecewise linear activation
  at::Tensor bias;
  at::Tensor gradient = {};
  at::Tensor tangent = {};
  at::Tensor addend = {};
};

// Autograd functions do not take undefined tensors: an empty one means none.
at::Tensor or_empty(const at::Tensor& tensor, const at::Tensor& x) {
  return tensor.defined() ? tensor : at::empty({0}, x.options());
}

const void* data_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.numel() > 0 ? tensor.const_data_ptr() : nullptr;
}

ChannelLayout channel_layout_of(const at::Tensor& x) {
  return {.element_count = x.numel(), .channel_count = x.size(1), .channel_stride = x.stride(1)};
}

at::Tensor sum_over_all_but_channels(const at::Tensor& gradient) {
  std::vector<std::int64_t> dims(gradient.dim());
  std::iota(dims.begin(), dims.end(), 0);
  dims.erase(dims.begin() + 1);
  return gradient.sum(dims);
}

/// A fill, and its sums over all but the channels if they were asked for.
struct Filled {
  at::Tensor out;
  at::Tensor sums;
};

Filled with_sums_if(bool wanted, const at::Tensor& out) {
  return {out, wanted ? sum_over_all_but_channels(out) : at::Tensor()};
}

/// Fills, and sums in the same pass, on a device. Operands are dense, in one layout.
Filled fill_on_device(const Operands& in, const BiasActTask& task, bool sums) {
  const at::Tensor out = at::empty_like(in.x);
  const auto wide = in.x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  at::Tensor partial_sums;
  if (sums) {
    partial_sums = at::empty({walk_of(task).partial_rows(), task.layout.channel_count},
                             in.x.options().dtype(wide));
  }
  launch_on_device("ganscale::bias_act",
                   {{in.x, in.bias, in.gradient, in.tangent, in.addend}, {out, partial_sums}},
                   [&](void* stream) {
                     bias_act_kernel(
                         {.out = out.mutable_data_ptr(),
                          .x = data_of(in.x),
                          .bias = data_of(in.bias),
                          .gradient = data_of(in.gradient),
                          .tangent = data_of(in.tangent),
                          .addend = data_of(in.addend),
                          .partial_sums = sums ? partial_sums.mutable_data_ptr() : nullptr},
                         task, stream);
                   });
  return {out, sums ? row_sums(partial_sums, in.x.scalar_type()) : at::Tensor()};
}

/// sums: of a derivative only.
Filled compute_bias_act(const Operands& in, const BiasActRule& rule, BiasActOrder order,
                        bool sums = false) {
  const at::Tensor x = in_dense_layout(in.x);
  const auto as_x = [&](const at::Tensor& tensor) {
    return tensor.defined() ? in_layout_of(tensor, x) : at::Tensor();
  };
  const Operands dense{.x = x,
                       .bias = in.bias.defined() ? in.bias.contiguous() : at::Tensor(),
                       .gradient = as_x(in.gradient),
                       .tangent = as_x(in.tangent),
                       .addend = as_x(in.addend)};
  const BiasActTask task{scalar_type_of(x.scalar_type()), channel_layout_of(x), rule, order};
  if (takes_kernels(x)) return fill_on_device(dense, task, sums);
  if (is_low_precision(task.type)) {
    const Operands wide{upcast(x), upcast(dense.bias), upcast(dense.gradient),
                        upcast(dense.tangent), upcast(dense.addend)};
    return with_sums_if(sums, compute_bias_act(wide, rule, order).out.to(x.scalar_type()));
  }
  const at::Tensor out = at::empty_like(x);
  bias_act_reference({.out = out.mutable_data_ptr(),
                      .x = data_of(x),
                      .bias = data_of(dense.bias),
                      .gradient = data_of(dense.gradient),
                      .tangent = data_of(dense.tangent),
                      .addend = data_of(dense.addend)},
                     task);
  return with_sums_if(sums, out);
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
  return clamp ? stored_as(dtype, *clamp) : -1;
}

/// Returns the tangent of a derivative that was returned with its sums, or without: a sum passes its
/// own to all that it sums. Undefined if no result has one.
///
/// x: of the derivative's shape.
at::Tensor tangent_of(const variable_list& tangents, const at::Tensor& x) {
  if (tangents.size() == 1 || !tangents[1].defined()) return tangents[0];
  std::vector<std::int64_t> shape(x.dim(), 1);
  shape[1] = x.size(1);
  const at::Tensor of_sums = tangents[1].view(shape).expand(x.sizes());
  return tangents[0].defined() ? tangents[0] + of_sums : of_sums;
}

struct DerivativeOptions {
  BiasActRule rule;
  BiasActOrder order = BiasActOrder::kDerivative;
  bool sums = false;  ///< over all but the channels, too: the gradient of the bias
};

/// gradient * gain f'(u), linear in the gradient; then its sums, if they are asked for.
struct BiasActDerivative : torch::autograd::Function<BiasActDerivative> {
  static variable_list forward(AutogradContext* context, const at::Tensor& gradient,
                               const at::Tensor& x, const at::Tensor& bias,
                               const DerivativeOptions& options) {
    save_rule(context, options.rule);
    context->saved_data["order"] = static_cast<std::int64_t>(options.order);
    const bool bends = !is_piecewise_linear(options.rule.activation);
    context->save_for_backward({bends ? gradient : at::Tensor(), x, bias});
    context->set_materialize_grads(false);
    const Filled filled =
        compute_bias_act({x, bias, gradient}, options.rule, options.order, options.sums);
    if (!options.sums) return {filled.out};
    return {filled.out, filled.sums};
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const auto saved = context->get_saved_variables();
    const BiasActRule rule = saved_rule(context);
    const at::Tensor tangent = tangent_of(tangents, saved[1]);
    at::Tensor d_gradient;
    at::Tensor d_x;
    at::Tensor d_bias;
    if (tangent.defined() && context->needs_input_grad(0)) {
      const auto order = static_cast<BiasActOrder>(context->saved_data["order"].toInt());
      d_gradient = apply(tangent, saved[1], saved[2], DerivativeOptions{rule, order})[0];
    }
    const bool needs_bend = context->needs_input_grad(1) || context->needs_input_grad(2);
    if (tangent.defined() && needs_bend && !is_piecewise_linear(rule.activation)) {
      // Third derivatives are not needed.
      const at::NoGradGuard no_grad;
      d_x = compute_bias_act({saved[1], saved[2], saved[0], tangent}, rule,
                             BiasActOrder::kSecondDerivative)
                .out;
      if (context->needs_input_grad(2)) d_bias = sum_over_all_but_channels(d_x);
    }
    return {d_gradient, d_x, d_bias, at::Tensor()};
  }
};

struct BiasActValue : torch::autograd::Function<BiasActValue> {
  /// bias, addend: empty for none.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            const at::Tensor& addend, const BiasActRule& rule) {
    save_rule(context, rule);
    const bool adds = addend.numel() > 0;
    const at::Tensor result =
        compute_bias_act({.x = x, .bias = bias, .addend = adds ? addend : at::Tensor()}, rule,
                         BiasActOrder::kValue)
            .out;
    const bool from_result = is_piecewise_linear(rule.activation) && !adds;
    context->saved_data["from_result"] = from_result;
    if (from_result) {
      context->save_for_backward({result, at::empty({0}, x.options())});
    } else {
      context->save_for_backward({x, bias});
    }
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const BiasActRule rule = saved_rule(context);
    const bool needs_bias = context->needs_input_grad(1);
    const at::Tensor d_addend = context->needs_input_grad(2) ? gradients[0] : at::Tensor();
    if (rule.activation == Activation::kLinear && rule.clamp < 0) {
      const at::Tensor d_x = rule.gain == 1 ? gradients[0] : gradients[0].mul(rule.gain);
      return {d_x, needs_bias ? sum_over_all_but_channels(d_x) : at::Tensor(), d_addend,
              at::Tensor()};
    }
    // A piecewise linear activation has no second derivative.
    const bool bends = !is_piecewise_linear(rule.activation);
    const bool from_result = context->saved_data["from_result"].toBool();
    variable_list result = BiasActDerivative::apply(
        gradients[0], bends ? saved[0] : saved[0].detach(), bends ? saved[1] : saved[1].detach(),
        DerivativeOptions{
            rule,
            bends || from_result ? BiasActOrder::kDerivative : BiasActOrder::kDerivativeOfInput,
            needs_bias});
    result.resize(2);
    result.insert(result.end(), {d_addend, at::Tensor()});
    return result;
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

at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, const BiasAct& options,
                    const at::Tensor& addend) {
  check(x.dim() >= 2 && x.numel() > 0, "bias_act takes a batch [N, C, ...] that is not empty");
  check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == x.size(1)),
        "bias_act takes a bias per channel");
  check(!addend.defined() || addend.sizes() == x.sizes(), "bias_act adds what has x's shape");
  check(options.gain > 0 && options.slope > 0, "bias_act reads the sign off its result");
  if (addend.defined() && !is_piecewise_linear(options.activation)) {
    return bias_act(x, bias, options) + addend;
  }
  return BiasActValue::apply(x, or_empty(bias, x), or_empty(addend, x),
                             BiasActRule{.activation = options.activation,
                                         .gain = options.gain,
                                         .clamp = stored_bound(options.clamp, x.scalar_type()),
                                         .slope = options.slope});
}

}  // namespace ganscale::kernels
