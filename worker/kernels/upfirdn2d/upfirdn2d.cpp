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

Upfirdn downsampling(const at::Tensor& filter, std::int64_t down) {
  const auto [height, width] = size_of(filter);
  return {.down_x = down,
          .down_y = down,
          .pad_left = (width - down + 1) / 2,
          .pad_right = (width - down) / 2,
          .pad_top = (height - down + 1) / 2,
          .pad_bottom = (height - down) / 2};
}

}  // namespace

at::Tensor upsample2d(const at::Tensor& x, const at::Tensor& filter, std::int64_t up) {
  const auto [height, width] = size_of(filter);
  return upfirdn2d(x, filter,
                   {.up_x = up,
                    .up_y = up,
                    .pad_left = (width + up - 1) / 2,
                    .pad_right = (width - up) / 2,
                    .pad_top = (height + up - 1) / 2,
                    .pad_bottom = (height - up) / 2,
                    .gain = static_cast<double>(up * up)});
}

at::Tensor downsample2d(const at::Tensor& x, const at::Tensor& filter, std::int64_t down) {
  return upfirdn2d(x, filter, downsampling(filter, down));
}

WithResampled with_downsampled2d(const at::Tensor& x, const at::Tensor& filter) {
  return with_upfirdn2d(x, filter, downsampling(filter, /*down=*/2));
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
