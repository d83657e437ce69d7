#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::augment {

/// How many pixels an image gets on each side.
struct Margins {
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t top = 0;
  std::int64_t bottom = 0;
};

/// Pads images by reflection, without repeating the edge, by any number of pixels.
///
/// x: [N, C, H, W]; margins not negative.
at::Tensor mirrored_padding(const at::Tensor& x, const Margins& margins);

}  // namespace ganscale::augment
