#include "models/stylegan3/modulated_convolution.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "kernels/convolution/convolution.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/weight_energies/weight_energies.h"

namespace ganscale::models::stylegan3 {
namespace {

at::Tensor plain_convolution(const at::Tensor& x, const at::Tensor& weight, std::int64_t padding,
                             const LayoutPolicy& layout) {
  return convolved({x, weight}, layout, [&](const ConvolutionOperands& in) {
    return kernels::convolution2d(in.x, in.weight, {.padding = padding});
  });
}

}  // namespace

at::Tensor modulated_convolution(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& styles, const Modulation& modulation,
                                 const LayoutPolicy& layout) {
  const auto dtype = x.scalar_type();
  const auto scaled = [&](const at::Tensor& scales) {
    const at::Tensor& gain = modulation.input_gain;
    return kernels::scale_channels(x, (gain.defined() ? scales * gain : scales).to(dtype));
  };
  if (!modulation.demodulates) {
    return plain_convolution(scaled(styles), weight, modulation.padding, layout);
  }
  const double fan_in = static_cast<double>(weight.numel() / weight.size(0));
  const at::Tensor energies = kernels::weight_energies({weight})[0];  // [out, in]
  const at::Tensor energy = energies.sum(1, /*keepdim=*/true);        // of each output
  const at::Tensor normalized = styles * styles.square().mean().rsqrt();
  const at::Tensor factors =
      kernels::demodulations({energies * (fan_in / energy)}, normalized, {0}) * std::sqrt(fan_in);
  // Of length 1 for each output, so that sums of float16 stay as small as what is summed.
  const at::Tensor kernel = weight * energy.rsqrt().view({-1, 1, 1, 1});
  const at::Tensor y = plain_convolution(scaled(normalized), kernel, modulation.padding, layout);
  return kernels::scale_channels(y, factors.to(dtype));
}

}  // namespace ganscale::models::stylegan3
