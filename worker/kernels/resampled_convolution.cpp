#include "base/error.h"
#include "kernels/convolution.h"
#include "kernels/upfirdn2d.h"

namespace ganscale::kernels {
namespace {

at::Tensor oriented(const at::Tensor& weight, bool flip) {
  return flip && weight.size(2) > 1 ? weight.flip({2, 3}) : weight;
}

/// [out, in / groups, K, K] as the [in, out / groups, K, K] of a transposed convolution.
at::Tensor exchanged(const at::Tensor& weight, std::int64_t groups) {
  if (groups == 1) return weight.transpose(0, 1);
  const auto out = weight.size(0) / groups;
  const auto in = weight.size(1);
  return weight.reshape({groups, out, in, weight.size(2), weight.size(3)})
      .transpose(1, 2)
      .reshape({groups * in, out, weight.size(2), weight.size(3)});
}

Upfirdn padded_by(std::int64_t before, std::int64_t after) {
  return {.pad_left = before, .pad_right = after, .pad_top = before, .pad_bottom = after};
}

at::Tensor reduced(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& filter,
                   const Resampling& how) {
  const auto taps = filter.size(-1);
  const auto padding = weight.size(2) / 2;
  Upfirdn filtering =
      padded_by(padding + (taps - how.down + 1) / 2, padding + (taps - how.down) / 2);
  const at::Tensor kernel = oriented(weight, how.flip_weight);
  if (weight.size(2) > 1) {
    return convolution2d(upfirdn2d(x, filter, filtering), kernel,
                         {.stride = how.down, .groups = how.groups});
  }
  filtering.down_x = filtering.down_y = how.down;
  return convolution2d(upfirdn2d(x, filter, filtering), kernel, {.groups = how.groups});
}

at::Tensor enlarged(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& filter,
                    const Resampling& how) {
  const auto taps = filter.size(-1);
  const auto kernel_size = weight.size(2);
  const auto padding = kernel_size / 2;
  // A transposed convolution turns the weight by itself, and grows the image by kernel - 1 at the
  // front and kernel - up at the end.
  const auto before = padding + (taps + how.up - 1) / 2 - (kernel_size - 1);
  const auto after = padding + (taps - how.up) / 2 - (kernel_size - how.up);
  const at::Tensor kernel = exchanged(oriented(weight, !how.flip_weight), how.groups);
  const at::Tensor large =
      convolution2d(x, kernel, {.stride = how.up, .transposed = true, .groups = how.groups});
  Upfirdn filtering = padded_by(before, after);
  filtering.gain = static_cast<double>(how.up * how.up);
  return upfirdn2d(large, filter, filtering);
}

}  // namespace

at::Tensor resampled_convolution2d(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& filter, const Resampling& how) {
  check(how.up == 1 || how.down == 1, "a convolution enlarges or reduces, not both");
  check(weight.size(2) % 2 == 1, "a convolution that keeps the size has an odd kernel");
  if (how.up > 1) return enlarged(x, weight, filter, how);
  if (how.down > 1) return reduced(x, weight, filter, how);
  return convolution2d(x, oriented(weight, how.flip_weight),
                       {.padding = weight.size(2) / 2, .groups = how.groups});
}

}  // namespace ganscale::kernels
