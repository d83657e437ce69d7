#include "models/stylegan/plain_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>

#include <cmath>

namespace ganscale::models::stylegan {
namespace {

constexpr double kMappingRate = 0.01;
constexpr double kTiny = 1e-8;

/// Scales each row to a mean square of 1.
at::Tensor to_unit_square(const at::Tensor& rows) {
  return rows * rows.square().mean(1, /*keepdim=*/true).add(kTiny).rsqrt();
}

}  // namespace

at::Tensor per_pixel(const at::Tensor& vectors) { return vectors.unsqueeze(2).unsqueeze(3); }

at::Tensor activated(const at::Tensor& x, const std::optional<double>& clamp) {
  const at::Tensor y = at::leaky_relu(x, 0.2) * std::sqrt(2.0);
  return clamp ? y.clamp(-*clamp, *clamp) : y;
}

double weight_gain(const at::Tensor& weight) {
  return 1 / std::sqrt(static_cast<double>(weight.size(1)));
}

at::Tensor connected(const at::Tensor& x, const Scope& layer, double gain) {
  const at::Tensor& weight = layer["weight"];
  return at::linear(x, weight * (gain * weight_gain(weight)), layer["bias"] * gain);
}

at::Tensor style_vectors(const Scope& mapping, int layers, const at::Tensor& z,
                         const at::Tensor& labels) {
  at::Tensor w = to_unit_square(z);
  if (labels.defined()) {
    const Scope layer = mapping.within("embed");
    const at::Tensor& weight = layer["weight"];
    const at::Tensor rows = weight.t() * weight_gain(weight);
    w = at::cat({w, to_unit_square(at::embedding(rows, labels) + layer["bias"])}, 1);
  }
  for (int i = 0; i < layers; ++i) {
    w = activated(connected(w, mapping.within("fc" + std::to_string(i)), kMappingRate), {});
  }
  return w;
}

}  // namespace ganscale::models::stylegan
