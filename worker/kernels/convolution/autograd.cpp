#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include "kernels/convolution/convolution.h"
#include "kernels/convolution/narrow_groups.h"
#include "kernels/convolution/winograd.h"
#include "kernels/launch/kernel_path.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void save(AutogradContext* context, const Convolution2d& options) {
  context->saved_data["how"] = std::vector<std::int64_t>{
      options.stride,     options.padding,       options.transposed ? 1 : 0,
      options.extra_rows, options.extra_columns, options.groups};
}

Convolution2d saved(AutogradContext* context) {
  const auto values = context->saved_data["how"].toIntVector();
  return {values[0], values[1], values[2] == 1, values[3], values[4], values[5]};
}

/// Returns how many of the `in` elements of an axis a strided convolution does not reach at the
/// end.
std::int64_t remainder(std::int64_t in, std::int64_t kernel, const Convolution2d& options) {
  return (in + 2 * options.padding - kernel) % options.stride;
}

/// Returns the convolution that computes the gradient of x from the result's.
Convolution2d back_to_input(const Convolution2d& options, at::IntArrayRef x_sizes,
                            at::IntArrayRef weight_sizes) {
  Convolution2d back{.stride = options.stride,
                     .padding = options.padding,
                     .transposed = !options.transposed,
                     .groups = options.groups};
  if (back.transposed) {
    back.extra_rows = remainder(x_sizes[2], weight_sizes[2], options);
    back.extra_columns = remainder(x_sizes[3], weight_sizes[3], options);
  }
  return back;
}

bool is_channels_last(const at::Tensor& y) {
  return !y.is_contiguous() && y.is_contiguous(at::MemoryFormat::ChannelsLast);
}

/// Returns the gradient channels last if the result is, on a CPU: in another layout, each layer
/// that it passes would copy it.
at::Tensor in_layout_of_result(AutogradContext* context, const at::Tensor& gradient) {
  const bool keeps = takes_kernels(gradient) || !context->saved_data["is_channels_last"].toBool();
  return keeps ? gradient : gradient.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  if (narrow_groups::takes(x, weight, options)) return narrow_groups::convolve(x, weight, options);
  if (winograd::takes(x, weight, options)) return winograd::convolve(x, weight, options);
  return at::convolution(x, weight, /*bias=*/{}, {options.stride, options.stride},
                         {options.padding, options.padding}, /*dilation=*/{1, 1},
                         options.transposed, {options.extra_rows, options.extra_columns},
                         options.groups);
}

at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight, const Convolution2d& options) {
  if (narrow_groups::takes_weight_gradient(x, weight, options))
    return narrow_groups::weight_gradient(x, gradient, weight, options);
  if (winograd::takes(x, weight, options))
    return winograd::weight_gradient(x, gradient, weight, options);
  return std::get<1>(at::convolution_backward(
      gradient, x, weight, /*bias_sizes=*/{}, {options.stride, options.stride},
      {options.padding, options.padding}, /*dilation=*/{1, 1}, options.transposed,
      {options.extra_rows, options.extra_columns}, options.groups, {false, true, false}));
}

/// The gradient of a convolution with respect to its weight: bilinear in x and the result's
/// gradient.
struct WeightGradient : torch::autograd::Function<WeightGradient> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& gradient, const at::Tensor& weight,
                            const Convolution2d& options) {
    save(context, options);
    context->save_for_backward({x, gradient});
    return weight_gradient(x, gradient, weight, options);
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const auto tensors = context->get_saved_variables();
    const Convolution2d options = saved(context);
    variable_list result(4);  // none of weight and options
    if (context->needs_input_grad(0)) {
      result[0] = convolution2d(tensors[1], tangents[0],
                                back_to_input(options, tensors[0].sizes(), tangents[0].sizes()));
    }
    if (context->needs_input_grad(1)) result[1] = convolution2d(tensors[0], tangents[0], options);
    return result;
  }
};

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const Convolution2d& options) {
    save(context, options);
    context->saved_data["x_sizes"] = x.sizes().vec();
    // A network that is not being trained saves no inputs for weight gradients.
    context->save_for_backward({weight.requires_grad() ? x : at::Tensor(), weight});
    const at::Tensor y = convolved(x, weight, options);
    context->saved_data["is_channels_last"] = is_channels_last(y);
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto tensors = context->get_saved_variables();
    const Convolution2d options = saved(context);
    const at::Tensor gradient = in_layout_of_result(context, gradients[0]);
    variable_list result(3);  // none of options
    if (context->needs_input_grad(0)) {
      const auto x_sizes = context->saved_data["x_sizes"].toIntVector();
      result[0] =
          convolution2d(gradient, tensors[1], back_to_input(options, x_sizes, tensors[1].sizes()));
    }
    if (context->needs_input_grad(1)) {
      result[1] = WeightGradient::apply(tensors[0], gradient, tensors[1].detach(), options);
    }
    return result;
  }
};

}  // namespace

at::Tensor convolution2d(const at::Tensor& x, const at::Tensor& weight,
                         const Convolution2d& options) {
  return Convolution::apply(x, weight, options);
}

bool has_kernel(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  return !torch::jit::tracer::isTracing() &&
         (narrow_groups::takes(x, weight, options) || winograd::takes(x, weight, options));
}

}  // namespace ganscale::kernels
