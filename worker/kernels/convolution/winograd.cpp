#include "kernels/convolution/winograd.h"

#include "kernels/convolution/tiled_convolution.h"

namespace ganscale::kernels::winograd {
namespace {

using tiles::kKernelSize;
using tiles::kWinograd;

tiles::Layer layer_of(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  // A transposed convolution is a convolution with the rotated kernel.
  const std::int64_t padding =
      options.transposed ? kKernelSize - 1 - options.padding : options.padding;
  const std::int64_t outputs = weight.size(options.transposed ? 1 : 0);
  const auto tiles_along = [&](std::int64_t pixels) {
    return (pixels + 2 * padding - kKernelSize + 1) / kWinograd.results;
  };
  return {kWinograd,
          {.images = x.size(0),
           .inputs = x.size(1),
           .outputs = outputs,
           .x_height = x.size(2),
           .x_width = x.size(3),
           .padding = padding,
           .tile_rows = tiles_along(x.size(2)),
           .tile_columns = tiles_along(x.size(3))},
          options.transposed};
}

}  // namespace

bool takes(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  if (options.groups != 1 || options.stride != 1 || x.size(2) % 2 != 0 || x.size(3) % 2 != 0)
    return false;
  const tiles::Layer layer = layer_of(x, weight, options);
  return layer.shape.padding >= 0 && layer.shape.padding < kKernelSize &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast) && tiles::can_convolve(layer, x, weight) &&
         tiles::is_fast(layer);
}

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  return tiles::convolve(layer_of(x, weight, options), x, weight);
}

at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight, const Convolution2d& options) {
  return tiles::weight_gradient(layer_of(x, weight, options), x,
                                gradient.contiguous(at::MemoryFormat::ChannelsLast), weight);
}

}  // namespace ganscale::kernels::winograd
