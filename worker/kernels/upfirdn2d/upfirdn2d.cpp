#include "kernels/upfirdn2d/upfirdn2d.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "base/error.h"

namespace ganscale::kernels {
namespace {

Sides<std::int64_t> size_of(const at::Tensor& filter) {
  check(filter.dim() == 1 || filter.dim() == 2, "a filter is [K] or [Ky, Kx]");
  return {filter.size(0), filter.size(-1)};
}

Upfirdn downsampling(const at::Tensor& filter) {
  const auto [height, width] = size_of(filter);
  return {.down_x = 2,
          .down_y = 2,
          .pad_left = (width - 1) / 2,
          .pad_right = (width - 2) / 2,
          .pad_top = (height - 1) / 2,
          .pad_bottom = (height - 2) / 2};
}

}  // namespace

at::Tensor upsample2d(const at::Tensor& x, const at::Tensor& filter) {
  const auto [height, width] = size_of(filter);
  return upfirdn2d(x, filter,
                   {.up_x = 2,
                    .up_y = 2,
                    .pad_left = (width + 1) / 2,
                    .pad_right = (width - 2) / 2,
                    .pad_top = (height + 1) / 2,
                    .pad_bottom = (height - 2) / 2,
                    .gain = 4});
}

at::Tensor downsample2d(const at::Tensor& x, const at::Tensor& filter) {
  return upfirdn2d(x, filter, downsampling(filter));
}

WithResampled with_downsampled2d(const at::Tensor& x, const at::Tensor& filter) {
  return with_upfirdn2d(x, filter, downsampling(filter));
}

at::Tensor setup_filter(c10::ArrayRef<double> taps, at::ScalarType dtype) {
  constexpr std::size_t kSeparableTaps = 8;
  check(!taps.empty(), "a filter has at least one tap");
  const at::Tensor line = at::tensor(taps, at::kDouble);
  const at::Tensor normalized = line / line.sum();
  const bool separable = taps.size() >= kSeparableTaps;
  return (separable ? normalized : normalized.outer(normalized)).to(dtype);
}

}  // namespace ganscale::kernels
