#pragma once

#include <ATen/core/Tensor.h>

#include "base/random.h"

namespace ganscale::features {

/// What training changes in an image, at random.
enum class Augmentation {
  kNone,
  kMirrorAndShift,  ///< mirrors half of the images, and shifts all by up to four pixels
};

/// Returns images of which half are mirrored, each shifted by up to four pixels in both directions,
/// with black where the image is gone.
///
/// Source: He et al. 2016, arXiv:1512.03385, Section 4.2 (random crops of images with four pixels
///         of padding, and their horizontal flips).
/// images: [N, C, H, W] uint8 on the host.
at::Tensor mirrored_and_shifted(const at::Tensor& images, const ImageRandom& numbers);

}  // namespace ganscale::features
