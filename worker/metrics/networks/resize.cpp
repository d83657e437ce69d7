#include "metrics/networks/resize.h"

#include <ATen/ops/arange.h>

namespace ganscale::metrics {
namespace {

at::Tensor scale_dimension(const at::Tensor& images, std::int64_t dimension,
                           std::int64_t resolution) {
  const auto last = images.size(dimension) - 1;
  const double step = static_cast<double>(last + 1) / static_cast<double>(resolution);
  const auto place = at::arange(resolution, at::kDouble).mul(step);
  const auto lower = place.floor().to(at::kLong);
  const auto upper = lower.add(1).clamp_max(last);
  std::vector<std::int64_t> shape(4, 1);
  shape[static_cast<std::size_t>(dimension)] = resolution;
  const auto weight = place.sub(lower).to(images.options()).view(shape);
  const auto from = images.index_select(dimension, lower.to(images.device()));
  return from.lerp(images.index_select(dimension, upper.to(images.device())), weight);
}

}  // namespace

at::Tensor resize_as_tensorflow_1(const at::Tensor& images, std::int64_t resolution) {
  return scale_dimension(scale_dimension(images, 2, resolution), 3, resolution);
}

}  // namespace ganscale::metrics
