#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

#include "models/contract/layout.h"
#include "models/contract/submodules.h"
#include "models/r3gan/config.h"

/// The layers of R3GAN (Huang et al. 2024, arXiv:2501.05441). Parameters and buffers are named as in
/// the public implementation. Weights are initially zero: the networks initialize them.
namespace ganscale::models::r3gan {

/// What operators a pass consists of.
enum class Operators {
  kFused,      ///< ours, which are differentiable twice without waste
  kTraceable,  ///< LibTorch's only, for a tracer to record
};

/// A convolution of stride 1 without bias that keeps the size of images.
///
/// Parameters: Layer.weight [out, in / groups, kernel, kernel].
class Convolution : public torch::nn::Module, public LaidOut {
 public:
  Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel = 1,
              std::int64_t groups = 1);

  /// x: [N, in, H, W]. Returns [N, out, H, W].
  at::Tensor forward(const at::Tensor& x, Operators operators = Operators::kFused) const;

 private:
  std::int64_t padding_;
  std::int64_t groups_;
  at::Tensor weight_;
};

/// x + bias, then a leaky ReLU of slope 0.2, without a gain.
///
/// Parameters: Bias [channels].
class Activation : public torch::nn::Module {
 public:
  explicit Activation(std::int64_t channels);

  at::Tensor forward(const at::Tensor& x, Operators operators) const;

 private:
  at::Tensor bias_;
};

/// A residual block: x + L3(a(L2(a(L1 x)))), 1x1, grouped 3x3 and 1x1 convolutions.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(const Stage& stage, std::int64_t expansion);

  at::Tensor forward(const at::Tensor& x, Operators operators = Operators::kFused) const;

 private:
  std::shared_ptr<Convolution> convolutions_[3];
  std::shared_ptr<Activation> activations_[2];
};

/// A change of resolution by the filter of StyleGAN2, and of the width by a 1x1 convolution, on the
/// smaller side, if the widths differ.
///
/// Buffers: Resampler.Kernel [4, 4].
class Transition : public torch::nn::Module {
 public:
  Transition(std::int64_t in_channels, std::int64_t out_channels);

  /// x: [N, in, H, W]. Returns [N, out, 2 H, 2 W].
  at::Tensor upsampled(const at::Tensor& x, Operators operators) const;
  /// Returns [N, out, H / 2, W / 2].
  at::Tensor downsampled(const at::Tensor& x) const;

 private:
  std::shared_ptr<Convolution> convolution_;  ///< null if the widths are equal
  at::Tensor kernel_;
};

/// Returns the vectors of labels, of an embedding that is stored as a layer of one-hot vectors.
///
/// weight: [width, label_count]; labels: [N] int64. Returns [N, width].
at::Tensor embedded(const at::Tensor& weight, const at::Tensor& labels);

}  // namespace ganscale::models::r3gan
