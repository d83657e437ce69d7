#pragma once

#include "data/image/image.h"

namespace ganscale::data {

/// Returns the image's largest centered square.
Image crop_to_square(const Image& image);

/// Returns the image at another size by an antialiased bilinear filter: a triangle as wide as the
/// step between output pixels (at least one input pixel), normalized at the edges. Without alpha.
Image resample(const Image& image, int height, int width);

/// Returns the image in the middle of zeros; of an odd margin the larger half is at the bottom
/// and the right. The image must not be larger.
Image pad_to(const Image& image, int height, int width);

}  // namespace ganscale::data
