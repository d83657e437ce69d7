#include "kernels/convolution/scaled_convolution.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include "base/error.h"
#include "kernels/convolution/tiled_convolution.h"

namespace ganscale::kernels {
namespace scaled {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What is computed from x and a weight. `transposed` is as in tiles::Layer.
struct ScaledConvolution2d {
  Scaling scaling;
  bool transposed = false;

  /// Returns what computes the gradient of x from the result's.
  ScaledConvolution2d back() const {
    return {scaling == Scaling::kDouble ? Scaling::kSum : Scaling::kDouble, !transposed};
  }
};

void save(AutogradContext* context, const ScaledConvolution2d& options) {
  context->saved_data["doubles"] = options.scaling == Scaling::kDouble;
  context->saved_data["transposed"] = options.transposed;
}

ScaledConvolution2d saved(AutogradContext* context) {
  return {context->saved_data["doubles"].toBool() ? Scaling::kDouble : Scaling::kSum,
          context->saved_data["transposed"].toBool()};
}

tiles::Layer layer_of(const at::Tensor& x, const at::Tensor& weight,
                      const ScaledConvolution2d& options) {
  const bool doubles = options.scaling == Scaling::kDouble;
  const std::int64_t pixels_of_tile = doubles ? 1 : 2;  // of x, along an axis
  return {doubles ? tiles::kDoubled : tiles::kSummed,
          {.images = x.size(0),
           .inputs = x.size(1),
           .outputs = weight.size(options.transposed ? 1 : 0),
           .x_height = x.size(2),
           .x_width = x.size(3),
           .padding = 1,
           .tile_rows = x.size(2) / pixels_of_tile,
           .tile_columns = x.size(3) / pixels_of_tile},
          options.transposed};
}

/// Returns whether all pixels of x are in tiles.
bool halves_evenly(const at::Tensor& x, Scaling scaling) {
  return scaling == Scaling::kDouble || (x.size(2) % 2 == 0 && x.size(3) % 2 == 0);
}

at::Tensor channels_last(const at::Tensor& x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight,
                     const ScaledConvolution2d& options);

/// The gradient of the convolution with respect to its weight: bilinear in x and the result's
/// gradient.
struct WeightGradient : torch::autograd::Function<WeightGradient> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& gradient, const at::Tensor& weight,
                            const ScaledConvolution2d& options) {
    save(context, options);
    context->save_for_backward({x, gradient});
    return tiles::weight_gradient(layer_of(x, weight, options), channels_last(x),
                                  channels_last(gradient), weight);
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const auto tensors = context->get_saved_variables();
    const ScaledConvolution2d options = saved(context);
    variable_list result(4);  // none of weight and options
    if (context->needs_input_grad(0))
      result[0] = convolved(tensors[1], tangents[0], options.back());
    if (context->needs_input_grad(1)) result[1] = convolved(tensors[0], tangents[0], options);
    return result;
  }
};

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const ScaledConvolution2d& options) {
    const tiles::Layer layer = layer_of(x, weight, options);
    check(halves_evenly(x, options.scaling) && tiles::can_convolve(layer, x, weight),
          "a scaled convolution takes what has_scaled_kernel() tells");
    save(context, options);
    // A network that is not being trained saves no inputs for weight gradients.
    context->save_for_backward({weight.requires_grad() ? x : at::Tensor(), weight});
    return tiles::convolve(layer, channels_last(x), weight);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto tensors = context->get_saved_variables();
    const ScaledConvolution2d options = saved(context);
    variable_list result(3);  // none of options
    const at::Tensor gradient = channels_last(gradients[0]);
    if (context->needs_input_grad(0)) result[0] = convolved(gradient, tensors[1], options.back());
    if (context->needs_input_grad(1)) {
      result[1] = WeightGradient::apply(tensors[0], gradient, tensors[1].detach(), options);
    }
    return result;
  }
};

at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight,
                     const ScaledConvolution2d& options) {
  return Convolution::apply(x, weight, options);
}

}  // namespace
}  // namespace scaled

bool has_scaled_kernel(const at::Tensor& x, const at::Tensor& weight, Scaling scaling) {
  const tiles::Layer layer = scaled::layer_of(x, weight, {scaling});
  // What our kernels compute would be a constant of a trace.
  return !torch::jit::tracer::isTracing() && scaled::halves_evenly(x, scaling) &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast) && tiles::can_convolve(layer, x, weight) &&
         tiles::is_fast(layer);
}

at::Tensor scaled_convolution2d(const at::Tensor& x, const at::Tensor& weight, Scaling scaling) {
  return scaled::convolved(x, weight, {scaling});
}

}  // namespace ganscale::kernels
