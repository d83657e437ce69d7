#include "metrics/distances/path_length.h"

#include <ATen/TensorOperators.h>

#include <cmath>

namespace ganscale::metrics {
namespace {

at::Tensor to_unit_length(const at::Tensor& rows) { return rows / rows.norm(2, 1, true); }

}  // namespace

at::Tensor on_arc(const at::Tensor& a, const at::Tensor& b, const at::Tensor& t) {
  const auto from = to_unit_length(a);
  const auto to = to_unit_length(b);
  const auto cosine = (from * to).sum(1, /*keepdim=*/true);
  const auto angle = t * cosine.acos();
  const auto across = to_unit_length(to - cosine * from);
  const double length = std::sqrt(static_cast<double>(a.size(1)));
  return (from * angle.cos() + across * angle.sin()) * length;
}

at::Tensor face_of(const at::Tensor& images) {
  const auto height = images.size(2) / 8;
  const auto width = images.size(3) / 8;
  return images.narrow(2, 3 * height, 4 * height).narrow(3, 2 * width, 4 * width);
}

double mean_without_tails(const at::Tensor& lengths) {
  const auto sorted = std::get<0>(lengths.sort());
  const auto last = static_cast<double>(sorted.size(0) - 1);
  const auto shortest = sorted[static_cast<std::int64_t>(std::floor(0.01 * last))];
  const auto longest = sorted[static_cast<std::int64_t>(std::ceil(0.99 * last))];
  return sorted.masked_select(sorted.ge(shortest).logical_and(sorted.le(longest)))
      .mean()
      .item<double>();
}

}  // namespace ganscale::metrics
