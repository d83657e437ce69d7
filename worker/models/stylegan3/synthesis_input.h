#pragma once

#include <torch/nn/module.h>

#include "models/stylegan/layers.h"
#include "models/stylegan3/geometry.h"

namespace ganscale::models::stylegan3 {

/// What Fourier features are made of: parameters and buffers of SynthesisInput.
struct Waves {
  at::Tensor weight;
  at::Tensor freqs;
  at::Tensor phases;
  at::Tensor transform;
};

/// Returns Fourier features as the affine layer of SynthesisInput moves them, [N, C, H, W], by
/// LibTorch's own operators and without a constant tensor.
///
/// moves: [N, 4]: cosine and sine of a turn, and where the center goes, all times the length of the
///        first two.
at::Tensor fourier_features(const at::Tensor& moves, const Waves& waves, const Signal& signal);

/// Makes the input of the synthesis layers: waves in the plane, which the first style moves and
/// turns as a whole.
///
/// Paper:      Karras et al. 2021, arXiv:2106.12423, Section 3.1 ("Fourier features") and
///             Appendix F ("transformed Fourier features").
/// Parameters: weight [C, C], affine.weight [4, w_dim], affine.bias [4].
/// Buffers:    freqs [C, 2] (x, y), in waves per image width; phases [C], in waves; transform
///             [3, 3], the inverse of how images are to move, in shorter sides from their center.
class SynthesisInput : public torch::nn::Module {
 public:
  /// signal: what it makes; its cutoff is the highest frequency.
  SynthesisInput(const Signal& signal, int w_dim);

  /// Draws the waves: directions and frequencies uniformly on the disc of the highest frequency.
  void initialize(std::uint64_t seed, const std::string& name);

  /// w: [N, w_dim]. Returns [N, C, H, W].
  at::Tensor forward(const at::Tensor& w) const;

  const at::Tensor& transform() const { return transform_; }

 private:
  Signal signal_;
  std::shared_ptr<stylegan::FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor freqs_;
  at::Tensor phases_;
  at::Tensor transform_;
};

}  // namespace ganscale::models::stylegan3
