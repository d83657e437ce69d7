#include "base/error.h"
#include "kernels/convolution/convolution.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::kernels {
namespace {

at::Tensor oriented(const at::Tensor& weight, bool flip) {
  return flip && weight.size(2) > 1 ? weight.flip({2, 3}) : weight;
}

/// What an image is padded with along each axis.
struct Margins {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

Upfirdn padded_by(const Margins& by) {
  return {
      .pad_left = by.before, .pad_right = by.after, .pad_top = by.before, .pad_bottom = by.after};
}

/// Returns what a filter of that many taps needs to reduce the image around its center.
Margins reducing_margins(std::int64_t taps, std::int64_t down) {
  if (down == 1) return {};
  return {(taps - down + 1) / 2, (taps - down) / 2};
}

at::Tensor reduced(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& filter,
                   const Resampling& options) {
  const auto padding = weight.size(2) / 2;
  const Margins margins = reducing_margins(filter.size(-1), options.down);
  const Upfirdn filtering = padded_by({padding + margins.before, padding + margins.after});
  return convolution2d(upfirdn2d(x, filter, filtering), oriented(weight, options.flip_weight),
                       {.stride = options.down});
}

at::Tensor enlarged(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& filter,
                    const Resampling& options) {
  const auto taps = filter.size(-1);
  const auto kernel_size = weight.size(2);
  const auto padding = kernel_size / 2;
  // A transposed convolution turns the weight by itself, and grows the image by kernel - 1 at the
  // front and kernel - up at the end.
  // A reduction after it filters what lies beyond the edges, too: nothing is padded in between.
  const Margins margins = reducing_margins(taps, options.down);
  const auto before = padding + (taps + options.up - 1) / 2 - (kernel_size - 1) + margins.before;
  const auto after = padding + (taps - options.up) / 2 - (kernel_size - options.up) + margins.after;
  const at::Tensor kernel = oriented(weight, !options.flip_weight).transpose(0, 1);
  const at::Tensor large = convolution2d(x, kernel, {.stride = options.up, .transposed = true});
  Upfirdn filtering = padded_by({before, after});
  filtering.gain = static_cast<double>(options.up * options.up);
  const at::Tensor smooth = upfirdn2d(large, filter, filtering);
  if (options.down == 1) return smooth;
  return upfirdn2d(smooth, filter, {.down_x = options.down, .down_y = options.down});
}

}  // namespace

at::Tensor resampled_convolution2d(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& filter, const Resampling& options) {
  check(weight.size(2) % 2 == 1, "a convolution that keeps the size has an odd kernel");
  if (options.up > 1) return enlarged(x, weight, filter, options);
  if (options.down > 1) return reduced(x, weight, filter, options);
  return convolution2d(x, oriented(weight, options.flip_weight), {.padding = weight.size(2) / 2});
}

}  // namespace ganscale::kernels
