#pragma once

#include <optional>
#include <string>

#include "tensors/named_tensors.h"

/// The layers of StyleGAN by LibTorch's own operators, as their papers describe them, for programs
/// that lack our operators.
///
/// They make no constant tensor, which would stay on the device of a trace.
namespace ganscale::models::stylegan {

/// The tensors of a network, by what follows the names of the layers around them.
class Scope {
 public:
  Scope(const NamedTensors& state, std::string prefix)
      : state_(state), prefix_(std::move(prefix)) {}
  const at::Tensor& operator[](const std::string& name) const { return state_.at(prefix_ + name); }
  bool has(const std::string& name) const { return state_.contains(prefix_ + name); }
  Scope within(const std::string& name) const { return {state_, prefix_ + name + "."}; }

 private:
  const NamedTensors& state_;
  std::string prefix_;
};

/// Returns vectors [N, C] as [N, C, 1, 1].
at::Tensor per_pixel(const at::Tensor& vectors);

/// Returns the leaky ReLU that keeps the variance of normal inputs.
at::Tensor activated(const at::Tensor& x, const std::optional<double>& clamp);

/// Returns the factor of a weight [out, in, ...] by its inputs.
double weight_gain(const at::Tensor& weight);

/// A fully connected layer, whose parameters are scaled by `gain`.
at::Tensor connected(const at::Tensor& x, const Scope& layer, double gain = 1);

/// Returns the styles of latents, [N, w_dim].
///
/// labels: [N] int64; undefined for an unconditional network.
at::Tensor style_vectors(const Scope& mapping, int layers, const at::Tensor& z,
                         const at::Tensor& labels);

}  // namespace ganscale::models::stylegan
