#pragma once

#include "base/resolution.h"
#include "data/image/image.h"

namespace ganscale::data {

/// Crops an image to its largest centered part with the aspect ratio of a resolution, to the pixel.
Image crop_to_ratio(const Image& image, const Resolution& ratio);

/// Resizes an image without alpha with an antialiased bilinear filter: a triangle as wide as the
/// step between output pixels (at least one input pixel), normalized at the edges.
Image resample(const Image& image, int height, int width);

/// Centers an image in zeros. If the margin is odd, the larger half is at the bottom and the right.
/// The image must not be larger than the result.
Image pad_to(const Image& image, int height, int width);

}  // namespace ganscale::data
