#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/output_skip/fill.h"
#include "kernels/output_skip/output_skip.h"
#include "kernels/row_sums/row_sums.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const void* address_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.numel() > 0 ? tensor.const_data_ptr() : nullptr;
}

/// rgb: dense.
OutputSkipTask task_of(const at::Tensor& rgb, double clamp) {
  const bool last = !rgb.is_contiguous();
  const std::int64_t C = rgb.size(1);
  const std::int64_t pixels = rgb.size(2) * rgb.size(3);
  return {.type = scalar_type_of(rgb.scalar_type()),
          .layout = {.image_count = rgb.size(0),
                     .channel_count = C,
                     .pixel_count = pixels,
                     .channel_stride = last ? 1 : pixels,
                     .pixel_stride = last ? C : 1},
          .clamp = clamp};
}

/// The gradients of rgb and bias, linear in the result's.
struct OutputSkipGradient : torch::autograd::Function<OutputSkipGradient> {
  static variable_list forward(AutogradContext* context, const at::Tensor& gradient,
                               const at::Tensor& rgb, const at::Tensor& bias, double clamp) {
    context->set_materialize_grads(false);
    context->save_for_backward({rgb, bias});
    context->saved_data["clamp"] = clamp;
    const at::Tensor dense = gradient.contiguous();
    const at::Tensor d_rgb = at::empty_like(rgb);
    const OutputSkipTask task = task_of(rgb, clamp);
    const at::Tensor partial_sums =
        at::empty({output_skip_blocks(task.layout), rgb.size(1)}, bias.options());
    launch_on_device("ganscale::output_skip", {{dense, rgb, bias}, {d_rgb, partial_sums}},
                     [&](void* stream) {
                       output_skip_kernel(
                           OutputSkipGradientArrays{.d_rgb = d_rgb.mutable_data_ptr(),
                                                    .partial_sums = partial_sums.mutable_data_ptr(),
                                                    .gradient = dense.const_data_ptr(),
                                                    .rgb = rgb.const_data_ptr(),
                                                    .bias = bias.const_data_ptr()},
                           task, stream);
                     });
    return {d_rgb, row_sums(partial_sums, bias.scalar_type())};
  }

  static variable_list backward(AutogradContext* context, const variable_list& tangents) {
    check(!at::GradMode::is_enabled(), "output_skip has two derivatives, not three");
    variable_list result(4);
    const bool has_tangent = tangents[0].defined() || tangents[1].defined();
    if (!has_tangent || !context->needs_input_grad(0)) return result;
    const auto saved = context->get_saved_variables();
    const at::Tensor& rgb = saved[0];
    const at::Tensor of_rgb = tangents[0].defined() ? in_layout_of(tangents[0], rgb) : at::Tensor();
    const at::Tensor of_bias = tangents[1].defined() ? tangents[1].contiguous() : at::Tensor();
    const at::Tensor out = at::empty(rgb.sizes(), saved[1].options());
    const OutputSkipTask task = task_of(rgb, context->saved_data["clamp"].toDouble());
    launch_on_device(
        "ganscale::output_skip", {{of_rgb, of_bias, rgb, saved[1]}, {out}}, [&](void* stream) {
          output_skip_kernel(OutputSkipSecondGradientArrays{.out = out.mutable_data_ptr(),
                                                            .rgb_tangent = address_of(of_rgb),
                                                            .bias_tangent = address_of(of_bias),
                                                            .rgb = rgb.const_data_ptr(),
                                                            .bias = saved[1].const_data_ptr()},
                             task, stream);
        });
    result[0] = out;
    return result;
  }
};

struct OutputSkip : torch::autograd::Function<OutputSkip> {
  /// image: empty if there is none.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rgb, const at::Tensor& bias,
                            const at::Tensor& image, double clamp) {
    context->save_for_backward({rgb, bias});
    context->saved_data["clamp"] = clamp;
    const at::Tensor added = image.contiguous();
    const at::Tensor out = at::empty(rgb.sizes(), bias.options());
    launch_on_device("ganscale::output_skip", {{rgb, bias, added}, {out}}, [&](void* stream) {
      output_skip_kernel(OutputSkipArrays{.out = out.mutable_data_ptr(),
                                          .rgb = rgb.const_data_ptr(),
                                          .bias = bias.const_data_ptr(),
                                          .image = address_of(added)},
                         task_of(rgb, clamp), stream);
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list result(4);
    if (context->needs_input_grad(2)) result[2] = gradients[0];
    if (!context->needs_input_grad(0) && !context->needs_input_grad(1)) return result;
    const auto of_operands =
        OutputSkipGradient::apply(gradients[0], saved[0].detach(), saved[1].detach(),
                                  context->saved_data["clamp"].toDouble());
    result[0] = of_operands[0];
    result[1] = of_operands[1];
    return result;
  }
};

/// The separate operations.
at::Tensor composed_output_skip(const OutputSkipInputs& in, std::optional<double> clamp) {
  const at::Tensor value = bias_act(in.rgb, in.bias.to(in.rgb.scalar_type()), {.clamp = clamp})
                               .to(in.bias.scalar_type());
  return in.image.defined() ? in.image + value : value;
}

}  // namespace

at::Tensor output_skip(const OutputSkipInputs& in, std::optional<double> clamp) {
  check(in.rgb.dim() == 4 && in.rgb.numel() > 0 && in.bias.dim() == 1 &&
            in.bias.size(0) == in.rgb.size(1),
        "output_skip takes images that are not empty, and a bias per channel");
  check(!in.image.defined() || in.image.sizes() == in.rgb.sizes(),
        "output_skip takes images of one shape");
  const auto wide = in.rgb.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  if (!takes_kernels(in.rgb) || in.bias.scalar_type() != wide) {
    return composed_output_skip(in, clamp);
  }
  const at::Tensor none = at::empty({0}, in.bias.options());
  return OutputSkip::apply(in_dense_layout(in.rgb), in.bias, in.image.defined() ? in.image : none,
                           clamp.value_or(-1));
}

}  // namespace ganscale::kernels
