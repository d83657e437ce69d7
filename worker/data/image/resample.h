#pragma once

#include "data/image/picture.h"

namespace ganscale::data {

/// Returns the picture's largest centred square.
Picture crop_to_square(const Picture& picture);

/// Returns the picture at another size by an antialiased bilinear filter: a triangle as wide as the
/// step between output pixels (at least one input pixel), normalised at the edges. Without alpha.
Picture resample(const Picture& picture, int height, int width);

/// Returns the picture in the middle of zeros; of an odd margin the larger half is at the bottom
/// and the right. The picture must not be larger.
Picture pad_to(const Picture& picture, int height, int width);

}  // namespace ganscale::data
