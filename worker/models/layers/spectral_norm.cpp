#include "models/layers/spectral_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models {
namespace {

at::Tensor unit(const at::Tensor& vector) {
  constexpr double kSmallest = 1e-12;
  return vector / at::linalg_vector_norm(vector).clamp_min(kSmallest);
}

}  // namespace

SpectralNorm::SpectralNorm(std::int64_t out_features)
    : u_(register_buffer("u", at::zeros({out_features}))) {}

at::Tensor SpectralNorm::forward(const at::Tensor& weight) const {
  const auto matrix = weight.flatten(1);
  at::Tensor u;
  at::Tensor v;
  {
    const at::NoGradGuard no_grad;
    v = unit(matrix.t().mv(u_));
    if (is_training()) u_.copy_(unit(matrix.mv(v)));
    u = u_.clone();  // a later pass updates the buffer before the backward pass of this one
  }
  return weight / u.dot(matrix.mv(v));
}

}  // namespace ganscale::models
