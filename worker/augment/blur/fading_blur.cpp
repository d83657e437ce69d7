#include "augment/blur/fading_blur.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <cmath>

#include "kernels/launch/on_device.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::augment {
namespace {

/// In sigmas; the filter has a tap for each pixel within reach on both sides, and one between.
constexpr double kReach = 3;

}  // namespace

FadingBlur read_fading_blur(config::Section& in) {
  FadingBlur blur;
  blur.sigma = in.get("blur_sigma", blur.sigma,
                      "initial blur of everything that the discriminator sees, in pixels; 0: none");
  in.require(blur.sigma, config::at_least(0), "blur_sigma", "must not be negative");
  constexpr int kMostPixels = kernels::kMostTaps / 2;
  in.require(blur.sigma * kReach < kMostPixels, "blur_sigma",
             "three times blur_sigma must be below " + std::to_string(kMostPixels) +
                 ": a filter has at most " + std::to_string(kernels::kMostTaps) + " taps");
  blur.fade_kimg = in.get("blur_fade_kimg", blur.fade_kimg,
                          "thousands of images over which the blur fades; 0: no blur");
  in.require(blur.fade_kimg, config::at_least(0), "blur_fade_kimg", "must not be negative");
  in.require(blur.sigma == 0 || blur.fade_kimg > 0, "blur_fade_kimg",
             "must be positive for a blur to fade");
  return blur;
}

double blur_sigma(const FadingBlur& blur, std::int64_t images_seen) {
  if (blur.fade_kimg <= 0) return 0;
  const double passed = static_cast<double>(images_seen) / (blur.fade_kimg * 1000);
  return std::max(1 - passed, 0.0) * blur.sigma;
}

at::Tensor blurred(const at::Tensor& images, double sigma) {
  const auto radius = static_cast<std::int64_t>(std::floor(sigma * kReach));
  if (radius <= 0) return images;
  const at::Tensor distances =
      at::arange(-radius, radius + 1, at::TensorOptions(at::kDouble)) / sigma;
  const at::Tensor taps = distances.square().neg().exp2();
  return kernels::upfirdn2d(
      images, kernels::sent_to(images.device(), taps / taps.sum()),
      {.pad_left = radius, .pad_right = radius, .pad_top = radius, .pad_bottom = radius});
}

}  // namespace ganscale::augment
