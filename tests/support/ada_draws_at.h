#pragma once

#include <ATen/ops/erfinv.h>
#include <ATen/ops/scalar_tensor.h>

#include "augment/ada_draws.h"

namespace ganscale::augment {

/// Returns draws that are all the `quantile` of their distribution, as in the fixtures of the
/// reference implementation: gates are open, the second rotation is by nothing, a normal strength
/// is erfinv(2 * quantile - 1).
inline AdaDraws ada_draws_at(double quantile) {
  const auto inverse_error_function = [](double x) {
    return at::erfinv(at::scalar_tensor(x, at::kDouble)).item<double>();
  };
  AdaDraws draws;
  draws.uniforms.fill(quantile);
  draws.uniforms[uniform::kPostRotate] = 0.5;
  draws.normals.fill(inverse_error_function(2 * quantile - 1));
  draws.normals[normal::kNoise] = inverse_error_function(quantile);
  return draws;
}

}  // namespace ganscale::augment
