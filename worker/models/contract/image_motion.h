#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::models {

/// How images are to turn about their center, counterclockwise, and then to move.
struct ImageMotion {
  double degrees = 0;
  double right = 0;  ///< in shorter sides of an image
  double down = 0;   ///< in shorter sides, too

  /// Returns whether images stay as they are.
  bool is_none() const { return degrees == 0 && right == 0 && down == 0; }
};

/// Returns the value of StyleGenerator::input_transform() for images that move so: float64 [3, 3].
at::Tensor transform_of(const ImageMotion& motion);

}  // namespace ganscale::models
