#include "models/stylegan/mapping.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/zeros.h>

#include "base/error.h"

namespace ganscale::models::stylegan {
namespace {

constexpr double kEpsilon = 1e-8;

/// Scales each row to a mean square of 1.
at::Tensor normalized(const at::Tensor& rows) {
  return rows * rows.square().mean(1, /*keepdim=*/true).add(kEpsilon).rsqrt();
}

}  // namespace

Mapping::Mapping(const MappingOptions& options) : options_(options) {
  check(options.z_dim > 0 || options.label_count > 0, "a mapping has latents or labels");
  const int embedded = options.label_count > 0 ? options.width : 0;
  if (embedded > 0) {
    embedding_ = register_module(
        "embed", std::make_shared<FullyConnected>(options.label_count, options.width));
  }
  for (int i = 0; i < options.layers; ++i) {
    const int in_features = i == 0 ? options.z_dim + embedded : options.width;
    const FullyConnectedOptions layer{.activation = kernels::Activation::kLeakyRelu,
                                      .rate_multiplier = options.rate_multiplier};
    layers_.push_back(
        register_module("fc" + std::to_string(i),
                        std::make_shared<FullyConnected>(in_features, options.width, layer)));
  }
  if (options.average_beta) {
    average_ = register_buffer("w_avg", at::zeros({options.width}));
  }
}

at::Tensor Mapping::forward(const at::Tensor& z, const at::Tensor& labels) const {
  std::vector<at::Tensor> parts;
  if (options_.z_dim > 0) parts.push_back(normalized(z));
  if (embedding_) {
    const auto dtype = embedding_->parameters().front().scalar_type();
    const auto code = at::one_hot(labels, options_.label_count).to(dtype);
    parts.push_back(normalized(embedding_->forward(code)));
  }
  at::Tensor w = parts.size() == 1 ? parts.front() : at::cat(parts, 1);
  const auto parameters = layer_parameters(w.scalar_type());
  for (std::size_t i = 0; i < layers_.size(); ++i) w = layers_[i]->forward(w, parameters[i]);
  return w;
}

std::vector<LayerParameters> Mapping::layer_parameters(at::ScalarType dtype) const {
  std::vector<const EqualizedLayer*> layers;
  for (const auto& layer : layers_) layers.push_back(layer.get());
  return parameters_for(layers, dtype, &kept_);
}

void Mapping::track_average(const at::Tensor& mean) const {
  check(options_.average_beta.has_value(), "this mapping has a mean to track");
  const at::NoGradGuard no_grad;
  average_.copy_(mean.detach().lerp(average_, *options_.average_beta));
}

}  // namespace ganscale::models::stylegan
