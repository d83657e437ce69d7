#include "models/latent_truncation.h"

#include <ATen/ops/where.h>

#include <cmath>

namespace ganscale::models {

at::Tensor truncate_latents(const at::Tensor& z, const at::Tensor& uniform, double threshold) {
  // The inverse of the distribution function of |x| < threshold.
  const double share_within = std::erf(threshold / std::sqrt(2));
  const auto within = uniform.mul(2).sub(1).mul(share_within).erfinv().mul(std::sqrt(2));
  return at::where(z.abs() <= threshold, z, within.clamp(-threshold, threshold));
}

}  // namespace ganscale::models
