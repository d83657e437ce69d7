#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "config/section.h"

namespace ganscale::augment {

/// A blur of all images that a discriminator sees, which fades as training begins.
struct FadingBlur {
  double sigma = 0;      ///< at the start, in pixels; 0: none
  double fade_kimg = 0;  ///< thousands of images after which there is none; 0: none from the start
};

/// Reads blur_sigma and blur_fade_kimg; the caller reads the other keys.
FadingBlur read_fading_blur(config::Section& in);

/// Returns the sigma after `images_seen` images: it falls linearly.
///
/// Paper: Karras et al. 2021, arXiv:2106.12423, Section 4 and Appendix G.
double blur_sigma(const FadingBlur& blur, std::int64_t images_seen);

/// Blurs images by 2^-(i / sigma)^2 at a distance of i pixels, up to 3 sigma, where there are zeros
/// around them; differentiable as often as needed. A sigma whose reach is below a pixel changes
/// nothing.
///
/// images:  [N, C, H, W], float32 or float64.
/// Returns: the same shape.
at::Tensor blurred(const at::Tensor& images, double sigma);

}  // namespace ganscale::augment
