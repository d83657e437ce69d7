#include "models/contract/image_motion.h"

#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace ganscale::models {

at::Tensor transform_of(const ImageMotion& motion) {
  const double angle = motion.degrees / 180 * std::numbers::pi;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  // Rows are numbered downward, so that this turns an image counterclockwise for a viewer.
  const std::vector<double> matrix = {c, s, motion.right, -s, c, motion.down, 0, 0, 1};
  return at::linalg_inv(at::tensor(matrix, at::kDouble).view({3, 3}));
}

}  // namespace ganscale::models
