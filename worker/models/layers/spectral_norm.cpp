#include "models/layers/spectral_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models {
namespace {

at::Tensor unit(const at::Tensor& vector, double epsilon) {
  return vector / at::linalg_vector_norm(vector).clamp_min(epsilon);
}

}  // namespace

at::Tensor largest_singular_value(const at::Tensor& weight, const at::Tensor& u, double epsilon,
                                  bool keeps_u) {
  const auto matrix = weight.flatten(1);
  at::Tensor left;
  at::Tensor right;
  {
    const at::NoGradGuard no_grad;
    right = unit(matrix.t().mv(u), epsilon);
    left = unit(matrix.mv(right), epsilon);
    if (keeps_u) u.copy_(left);
  }
  return left.dot(matrix.mv(right));
}

SpectralNorm::SpectralNorm(std::int64_t out_features)
    : u_(register_buffer("u", at::zeros({out_features}))) {}

at::Tensor SpectralNorm::forward(const at::Tensor& weight) const {
  constexpr double kSmallest = 1e-12;
  return weight / largest_singular_value(weight, u_, kSmallest, is_training());
}

}  // namespace ganscale::models
