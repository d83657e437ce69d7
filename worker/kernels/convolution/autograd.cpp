#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/convolution/convolution.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void save(AutogradContext* context, const Convolution2d& how) {
  context->saved_data["how"] =
      std::vector<std::int64_t>{how.stride, how.padding,    how.transposed ? 1 : 0,
                                how.groups, how.extra_rows, how.extra_columns};
}

Convolution2d saved(AutogradContext* context) {
  const auto values = context->saved_data["how"].toIntVector();
  return {values[0], values[1], values[2] == 1, values[3], values[4], values[5]};
}

/// Returns what the plain convolution loses at the end of an axis of `in` elements: its stride does
/// not reach them.
std::int64_t remainder(std::int64_t in, std::int64_t kernel, const Convolution2d& how) {
  return (in + 2 * how.padding - kernel) % how.stride;
}

/// Returns the convolution that carries a gradient of the result back to x.
Convolution2d back_to_input(const Convolution2d& how, at::IntArrayRef x_sizes,
                            at::IntArrayRef weight_sizes) {
  Convolution2d back{.stride = how.stride,
                     .padding = how.padding,
                     .transposed = !how.transposed,
                     .groups = how.groups};
  if (back.transposed) {
    back.extra_rows = remainder(x_sizes[2], weight_sizes[2], how);
    back.extra_columns = remainder(x_sizes[3], weight_sizes[3], how);
  }
  return back;
}

/// The gradient of a convolution with respect to its weight: bilinear in x and the result's
/// gradient.
struct WeightGradient : torch::autograd::Function<WeightGradient> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& gradient, const at::Tensor& weight,
                            const Convolution2d& how) {
    save(context, how);
    context->save_for_backward({x, gradient});
    return std::get<1>(at::convolution_backward(
        gradient, x, weight, /*bias_sizes=*/{}, {how.stride, how.stride},
        {how.padding, how.padding}, /*dilation=*/{1, 1}, how.transposed,
        {how.extra_rows, how.extra_columns}, how.groups, {false, true, false}));
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const auto tensors = context->get_saved_variables();
    const Convolution2d how = saved(context);
    at::Tensor d_x;
    at::Tensor d_gradient;
    if (context->needs_input_grad(0)) {
      d_x = convolution2d(tensors[1], tangents[0],
                          back_to_input(how, tensors[0].sizes(), tangents[0].sizes()));
    }
    if (context->needs_input_grad(1)) d_gradient = convolution2d(tensors[0], tangents[0], how);
    return {d_x, d_gradient, at::Tensor(), at::Tensor()};
  }
};

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const Convolution2d& how) {
    save(context, how);
    context->saved_data["x_sizes"] = x.sizes().vec();
    // A network that is not trained now keeps no images for the gradients of its weights.
    context->save_for_backward({weight.requires_grad() ? x : at::Tensor(), weight});
    return at::convolution(x, weight, /*bias=*/{}, {how.stride, how.stride},
                           {how.padding, how.padding}, /*dilation=*/{1, 1}, how.transposed,
                           {how.extra_rows, how.extra_columns}, how.groups);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto tensors = context->get_saved_variables();
    const Convolution2d how = saved(context);
    at::Tensor d_x;
    at::Tensor d_weight;
    if (context->needs_input_grad(0)) {
      const auto x_sizes = context->saved_data["x_sizes"].toIntVector();
      d_x =
          convolution2d(gradients[0], tensors[1], back_to_input(how, x_sizes, tensors[1].sizes()));
    }
    if (context->needs_input_grad(1)) {
      d_weight = WeightGradient::apply(tensors[0], gradients[0], tensors[1].detach(), how);
    }
    return {d_x, d_weight, at::Tensor()};
  }
};

}  // namespace

at::Tensor convolution2d(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& how) {
  return Convolution::apply(x, weight, how);
}

}  // namespace ganscale::kernels
