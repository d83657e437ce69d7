#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>

#include "models/biggan/config.h"
#include "models/contract/layout.h"
#include "models/contract/submodules.h"

/// The layers of BigGAN (Brock et al. 2018, arXiv:1809.11096). Parameters and buffers are named as
/// in the public PyTorch implementation, except for the blocks of BigGAN-deep's generator, which
/// that numbers without stages. All are initially zero but gains, which are one, and variances: the
/// network initializes the rest.
namespace ganscale::models::biggan {

/// A layer whose weight is divided by its largest singular value.
///
/// A training pass improves the estimate by one power iteration and keeps it; one in eval mode does
/// not keep it. So one pass over a joined batch is not two passes over its parts.
/// Parameters: weight [out, ...]. Buffers: u0 [1, out], the left singular vector; sv0 [1], the
///             singular value of the last training pass.
class SpectralLayer : public torch::nn::Module, public LaidOut {
 public:
  at::Tensor normalized_weight() const;
  /// Has the layer compute with a weight that normalized_weight() has returned; undefined: with its
  /// own again.
  void hold(const at::Tensor& normalized_weight) { held_ = normalized_weight; }

 protected:
  SpectralLayer(at::IntArrayRef weight_shape, double epsilon);

 private:
  at::Tensor weight_;
  at::Tensor held_;
  at::Tensor u_;
  at::Tensor singular_value_;
  double epsilon_;
};

enum class Bias { kNone, kAdded };

/// Parameters: weight [out, in, k, k], bias [out]. The padding is k / 2. Computes in x's dtype.
class Convolution : public SpectralLayer {
 public:
  /// kernel: 1 or 3.
  Convolution(int in_channels, int out_channels, int kernel, double epsilon,
              Bias bias = Bias::kAdded);

  /// x: [N, in, H, W]. Returns [N, out, H, W].
  at::Tensor forward(const at::Tensor& x) const;
  /// Return the convolution of the image upsampled by 2, [N, out, 2 H, 2 W], and the convolution's
  /// mean over 2x2, [N, out, H / 2, W / 2]: with a kernel of 3, in one convolution; with one of 1,
  /// which commutes with both, at the smaller size.
  at::Tensor upsampled(const at::Tensor& x) const;
  at::Tensor halved(const at::Tensor& x) const;

 private:
  at::Tensor convolved(const at::Tensor& x, const Convolve& convolve) const;

  int kernel_;
  at::Tensor bias_;
};

/// Parameters: weight [out, in], bias [out].
class Linear : public SpectralLayer {
 public:
  Linear(int in_features, int out_features, double epsilon, Bias bias = Bias::kAdded);
  /// x: [N, in]. Returns [N, out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor bias_;
};

/// Parameters: weight [label_count, width].
class Embedding : public SpectralLayer {
 public:
  Embedding(int label_count, int width, double epsilon);
  /// labels: [N] int64. Returns [N, width].
  at::Tensor forward(const at::Tensor& labels) const;
};

/// Batch norm and ReLU, with a scale and a shift per channel and image.
///
/// Paper:   Appendix B; de Vries et al. 2017, arXiv:1707.00683, Section 3.2.
/// Modules: gain, bias: linear functions of the condition. Buffers: stored_mean, stored_var [C].
class ConditionalNorm : public BatchNormLayer {
 public:
  ConditionalNorm(int channels, int condition_width, const NetworkConfig& config);
  /// x: [N, C, H, W]; condition: [N, condition_width]. Returns [N, C, H, W], a tensor of its own.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& condition) const;

 private:
  std::shared_ptr<Linear> gain_;
  std::shared_ptr<Linear> bias_;
};

/// Batch norm and ReLU. Parameters: gain, bias [C]. Buffers: stored_mean, stored_var [C].
class OutputNorm : public BatchNormLayer {
 public:
  OutputNorm(int channels, const NetworkConfig& config);
  /// x: [N, C, H, W].
  at::Tensor forward(const at::Tensor& x) const;
};

/// Self-attention over the pixels, with keys and values of half the resolution.
///
/// Paper:   Zhang et al. 2018, arXiv:1805.08318, Section 3, without the biases; keys have an eighth
///          of the channels, values a half.
/// Modules: theta, phi, g, o: convolutions. Parameters: gamma [], initially zero.
class SelfAttention : public torch::nn::Module {
 public:
  SelfAttention(int channels, double epsilon);
  /// x: [N, C, H, W], H and W even. Returns the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  std::shared_ptr<Convolution> theta_;
  std::shared_ptr<Convolution> phi_;
  std::shared_ptr<Convolution> g_;
  std::shared_ptr<Convolution> o_;
  at::Tensor gamma_;
};

/// Return the image of twice the size (nearest neighbor), and its mean over 2x2.
at::Tensor doubled(const at::Tensor& x);
at::Tensor halved(const at::Tensor& x);

}  // namespace ganscale::models::biggan
