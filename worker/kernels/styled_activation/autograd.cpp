#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "kernels/launch/on_device.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/styled_activation/compute.h"
#include "kernels/styled_activation/styled_activation.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Autograd functions do not take undefined tensors: an empty one is absent.
variable_list or_empty(variable_list tensors, const at::Tensor& like) {
  for (at::Tensor& tensor : tensors) {
    if (!tensor.defined()) tensor = at::empty({0}, like.options());
  }
  return tensors;
}

variable_list or_undefined(at::TensorList tensors) {
  variable_list result(tensors.begin(), tensors.end());
  for (at::Tensor& tensor : result) {
    if (tensor.defined() && tensor.numel() == 0) tensor = at::Tensor();
  }
  return result;
}

// The order of the operands, and of their gradients; noise has none.
variable_list operands_of(const StyledGradients& of) {
  return {of.y, of.style.demodulation, of.style.next_styles, of.style.bias, of.style.strength};
}

StyledGradients gradients_of(const variable_list& operands) {
  return {.y = operands[0],
          .style = {.demodulation = operands[1],
                    .next_styles = operands[2],
                    .bias = operands[3],
                    .strength = operands[4]}};
}
constexpr std::size_t kOperands = 5;

StyledPoint point_of(const variable_list& tensors) {
  return {.value_gradient = tensors[0],
          .scaled_gradient = tensors[1],
          .value = tensors[2],
          .y = tensors[3],
          .noise = tensors[4],
          .style = {.demodulation = tensors[5], .next_styles = tensors[6]}};
}

void save_styled_rule(AutogradContext* context, const StyledActivationRule& rule) {
  context->saved_data["rule"] = std::vector<double>{rule.gain, rule.clamp, rule.slope};
}

StyledActivationRule saved_styled_rule(AutogradContext* context) {
  const auto values = context->saved_data["rule"].toDoubleVector();
  return {.gain = values[0], .clamp = values[1], .slope = values[2]};
}

/// The gradients of the operands, linear in the results'. Arguments: of a point.
struct Gradients : torch::autograd::Function<Gradients> {
  static variable_list forward(AutogradContext* context, at::TensorList arguments,
                               const WantedGradients& wanted, const StyledActivationRule& rule) {
    context->set_materialize_grads(false);
    context->save_for_backward(arguments.vec());
    save_styled_rule(context, rule);
    const auto gradients = compute_gradients(point_of(or_undefined(arguments)), wanted, rule);
    return or_empty(operands_of(gradients), arguments[2]);
  }

  static variable_list backward(AutogradContext* context, const variable_list& tangents) {
    check(!at::GradMode::is_enabled(), "styled_activation has two derivatives, not three");
    const StyledPoint point = point_of(or_undefined(context->get_saved_variables()));
    const StyledGradients of = gradients_of(tangents);
    const bool is_scaled = point.scaled_gradient.defined();
    const WantedSecondGradients wanted{
        .value_gradient = context->needs_input_grad(0),
        .scaled_gradient = context->needs_input_grad(1),
        .value = context->needs_input_grad(2) && is_scaled && of.style.next_styles.defined(),
        .y = context->needs_input_grad(3) && of.style.demodulation.defined(),
        .style = {.demodulation = context->needs_input_grad(5) && of.y.defined(),
                  .next_styles = context->needs_input_grad(6) && is_scaled}};
    variable_list result =
        compute_second_gradients(point, of, wanted, saved_styled_rule(context)).tensors();
    result.resize(result.size() + 2);  // of `wanted` and `rule`
    return result;
  }
};

/// Arguments: the operands, then noise.
struct Values : torch::autograd::Function<Values> {
  static variable_list forward(AutogradContext* context, at::TensorList arguments,
                               const StyledActivationRule& rule) {
    const variable_list in = or_undefined(arguments);
    const StyledGradients operands = gradients_of(in);
    const at::Tensor& noise = in[kOperands];
    const StyledValues values = compute_values(operands.y, noise, operands.style, rule);
    context->set_materialize_grads(false);
    const bool needs_y = arguments[1].requires_grad();
    context->save_for_backward({values.value, needs_y ? operands.y : at::Tensor(), noise,
                                operands.style.demodulation, operands.style.next_styles});
    save_styled_rule(context, rule);
    return or_empty({values.value, values.scaled}, operands.y);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    variable_list result(kOperands + 2);  // of noise and `rule`, too
    if (!gradients[0].defined() && !gradients[1].defined()) return result;
    const auto saved = context->get_saved_variables();
    const WantedGradients wanted{
        .y = context->needs_input_grad(0),
        .style = {.demodulation = context->needs_input_grad(1),
                  .next_styles = context->needs_input_grad(2) && gradients[1].defined(),
                  .bias = context->needs_input_grad(3),
                  .strength = context->needs_input_grad(4)}};
    const StyledPoint point{.value_gradient = gradients[0],
                            .scaled_gradient = gradients[1],
                            .value = wanted.style.next_styles ? saved[0] : saved[0].detach(),
                            .y = wanted.style.demodulation ? saved[1] : at::Tensor(),
                            .noise = wanted.style.strength ? saved[2] : at::Tensor(),
                            .style = {.demodulation = saved[3], .next_styles = saved[4]}};
    const variable_list arguments = or_empty(point.tensors(), point.value);
    const variable_list of_operands = or_undefined(
        Gradients::apply(at::TensorList(arguments), wanted, saved_styled_rule(context)));
    std::copy(of_operands.begin(), of_operands.end(), result.begin());
    return result;
  }
};

/// Returns inputs whose noise was added by separate operations, which have its derivatives.
StyledActivationInputs with_noise_added(const StyledActivationInputs& in) {
  const auto dtype = in.y.scalar_type();
  const at::Tensor y =
      in.demodulation.defined() ? scale_channels(in.y, in.demodulation.to(dtype)) : in.y;
  return {
      .y = y + (in.noise * in.strength).to(dtype), .bias = in.bias, .next_styles = in.next_styles};
}

bool is_of_images(const at::Tensor& tensor, const at::Tensor& y) {
  return !tensor.defined() ||
         (tensor.dim() == 2 && tensor.size(0) == y.size(0) && tensor.size(1) == y.size(1));
}

bool is_noise_of(const at::Tensor& noise, const at::Tensor& y) {
  return noise.dim() == 4 && (noise.size(0) == 1 || noise.size(0) == y.size(0)) &&
         noise.size(1) == 1 && noise.size(2) == y.size(2) && noise.size(3) == y.size(3);
}

void check_inputs(const StyledActivationInputs& in) {
  const at::Tensor& y = in.y;
  check(y.dim() == 4 && y.numel() > 0, "styled_activation takes images [N, C, H, W], not none");
  check(is_of_images(in.demodulation, y) && is_of_images(in.next_styles, y),
        "styled_activation takes a factor for each image and channel");
  check(in.bias.dim() == 1 && in.bias.size(0) == y.size(1),
        "styled_activation takes a bias per channel");
  check(in.noise.defined() == in.strength.defined(),
        "styled_activation takes noise and its strength together");
  check(!in.noise.defined() || (is_noise_of(in.noise, y) && in.strength.dim() == 0),
        "styled_activation takes noise for each pixel, and one strength");
}

/// Returns the operands in the type of the computation.
variable_list converted(variable_list operands, at::ScalarType dtype) {
  for (at::Tensor& operand : operands) {
    if (operand.defined()) operand = operand.to(dtype);
  }
  return operands;
}

}  // namespace

StyledActivationResults styled_activation(const StyledActivationInputs& in,
                                          const StyledActivation& options) {
  check_inputs(in);
  check(options.gain > 0 && options.slope > 0, "styled_activation reads the sign off its result");
  if (in.noise.defined() && in.noise.requires_grad()) {
    return styled_activation(with_noise_added(in), options);
  }
  // In a low-precision type a clamped value may lie below the bound that was asked for.
  const auto dtype = in.y.scalar_type();
  const StyledActivationRule rule{.gain = options.gain,
                                  .clamp = options.clamp ? stored_as(dtype, *options.clamp) : -1,
                                  .slope = options.slope};
  const auto wide = dtype == at::kDouble ? at::kDouble : at::kFloat;
  variable_list arguments =
      converted({in.demodulation, in.next_styles, in.bias, in.strength, in.noise}, wide);
  arguments.insert(arguments.begin(), in.y);
  arguments = or_empty(std::move(arguments), in.y);
  const variable_list results = or_undefined(Values::apply(at::TensorList(arguments), rule));
  return {.value = results[0], .scaled = results[1]};
}

}  // namespace ganscale::kernels
