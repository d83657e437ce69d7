#include "augment/mirrored_padding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/reflection_pad2d.h>

namespace ganscale::augment {
namespace {

/// Returns where each position of a padded axis comes from: a zigzag of period 2 (length - 1).
at::Tensor mirrored_positions(std::int64_t length, std::int64_t before, std::int64_t after,
                              const at::TensorOptions& options) {
  const std::int64_t period = std::max<std::int64_t>(2 * (length - 1), 1);
  const auto position = at::arange(-before, length + after, options).remainder(period);
  return at::minimum(position, period - position).clamp_max(length - 1);
}

}  // namespace

at::Tensor mirrored_padding(const at::Tensor& x, const Margins& margins) {
  const auto height = x.size(2);
  const auto width = x.size(3);
  const bool mirrored_once = std::max(margins.left, margins.right) < width &&
                             std::max(margins.top, margins.bottom) < height;
  if (mirrored_once) {
    return at::reflection_pad2d(x, {margins.left, margins.right, margins.top, margins.bottom});
  }
  const auto options = x.options().dtype(at::kLong);
  return x.index_select(2, mirrored_positions(height, margins.top, margins.bottom, options))
      .index_select(3, mirrored_positions(width, margins.left, margins.right, options));
}

}  // namespace ganscale::augment
