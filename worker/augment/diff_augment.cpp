#include "augment/diff_augment.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include "base/error.h"
#include "kernels/counter_random/counter_random.h"

namespace ganscale::augment {
namespace {

/// What the columns of the draws decide.
enum Draw : std::int64_t {
  kBrightness,
  kSaturation,
  kContrast,
  kShiftX,
  kShiftY,
  kCutoutX,
  kCutoutY,
  kDrawCount
};

at::Tensor change_colors(const at::Tensor& images, const at::Tensor& draws) {
  const auto strength = [&](Draw which) {
    return draws.select(1, which).to(images.scalar_type()).view({-1, 1, 1, 1});
  };
  const auto bright = images + (strength(kBrightness) - 0.5);
  const auto gray = bright.mean(1, /*keepdim=*/true);
  const auto saturated = (bright - gray) * (strength(kSaturation) * 2) + gray;
  const auto mean = saturated.mean({1, 2, 3}, /*keepdim=*/true);
  return (saturated - mean) * (strength(kContrast) + 0.5) + mean;
}

/// Returns a whole number in [first, first + count) of each draw: [N, 1].
at::Tensor whole_number(const at::Tensor& draws, Draw which, std::int64_t first,
                        std::int64_t count) {
  return (draws.slice(1, which, which + 1) * count).floor().to(at::kLong) + first;
}

/// Moves each image along one axis, zeros moving in. A position outside reads the edge, and is
/// blanked. shift: [N, 1].
at::Tensor move_along(const at::Tensor& images, std::int64_t axis, const at::Tensor& shift) {
  const auto length = images.size(axis);
  const auto source = at::arange(length, shift.options()) - shift;  // [N, length]
  const auto inside = source.ge(0).logical_and(source.lt(length)).to(images.scalar_type());
  std::vector<std::int64_t> shape = {images.size(0), 1, 1, 1};
  shape[axis] = length;
  const auto index = source.clamp(0, length - 1).view(shape).expand(images.sizes());
  return images.gather(axis, index) * inside.view(shape);
}

at::Tensor translate(const at::Tensor& images, const at::Tensor& draws) {
  const auto shift = [&](Draw which, std::int64_t axis) {
    const auto most = (images.size(axis) + 4) / 8;  // an eighth, rounded
    return whole_number(draws, which, -most, 2 * most + 1);
  };
  return move_along(move_along(images, 2, shift(kShiftY, 2)), 3, shift(kShiftX, 3));
}

at::Tensor cut_out(const at::Tensor& images, const at::Tensor& draws) {
  const auto hole = [&](Draw which, std::int64_t axis) {
    const auto length = images.size(axis);
    const auto size = (length + 1) / 2;  // half, rounded
    const auto first = whole_number(draws, which, -(size / 2), length + 1 - size % 2);
    const auto position = at::arange(length, first.options());
    return position.ge(first).logical_and(position.lt(first + size));  // [N, length]
  };
  const auto rectangle =
      hole(kCutoutY, 2).unsqueeze(2).logical_and(hole(kCutoutX, 3).unsqueeze(1)).unsqueeze(1);
  return images * rectangle.logical_not().to(images.scalar_type());
}

}  // namespace

DiffAugmentPolicy diff_augment_policy(const std::vector<std::string>& names) {
  DiffAugmentPolicy policy;
  for (const std::string& name : names) {
    if (name == "color") {
      policy.color = true;
    } else if (name == "translation") {
      policy.translation = true;
    } else if (name == "cutout") {
      policy.cutout = true;
    } else {
      throw ConfigError("unknown augmentation: " + name + " (known: color translation cutout)");
    }
  }
  return policy;
}

at::Tensor diff_augment(const at::Tensor& images, const DiffAugmentPolicy& policy,
                        const ImageRandom& draws, Use use) {
  const auto numbers =
      kernels::random_uniform(draws, Stream::kAugment, DrawSites(use).uniforms,
                              {images.size(0), kDrawCount}, images.options().dtype(at::kDouble));
  auto x = images;
  if (policy.color) x = change_colors(x, numbers);
  if (policy.translation) x = translate(x, numbers);
  if (policy.cutout) x = cut_out(x, numbers);
  return x;
}

}  // namespace ganscale::augment
