#pragma once

#include <torch/nn/module.h>

#include <span>
#include <vector>

#include "kernels/counter_random/counter_random.h"
#include "kernels/styled_activation/styled_activation.h"
#include "models/stylegan2/config.h"
#include "models/stylegan2/layers.h"

namespace ganscale::models::stylegan2 {

struct SynthesisLayerOptions {
  int in_channels = 0;
  int out_channels = 0;
  int w_dim = 512;
  int resolution = 4;  ///< of the result
  int up = 1;
  std::optional<double> clamp = {};
};

/// What a layer computes with besides its features.
struct SynthesisLayerInputs {
  at::Tensor weight = {};       ///< for the features' dtype: one of kernels::scaled_copies()
  at::Tensor exact_weight;      ///< the same in the parameters' dtype
  at::Tensor styles;            ///< [N, in]
  at::Tensor noise;             ///< [N or 1, 1, H, W]
  at::Tensor next_styles = {};  ///< [N, out], of the convolution that follows; undefined: none
};

/// A modulated convolution with noise:
/// lrelu(conv(x, weight * style) + noise * noise_strength + bias).
///
/// Parameters: affine.*, weight [out, in, 3, 3], noise_strength [], bias [out]. Buffers:
///             noise_const [resolution, resolution], resample_filter [4, 4].
class SynthesisLayer : public torch::nn::Module {
 public:
  explicit SynthesisLayer(const SynthesisLayerOptions& options);

  const FullyConnected& affine() const { return *affine_; }
  /// Returns the styles of w, [N, w_dim], for features of this dtype; parameters: of affine().
  at::Tensor styles(const at::Tensor& w, const LayerParameters& parameters,
                    at::ScalarType dtype) const;
  /// Returns the weight for features of this dtype, in the parameters' dtype.
  at::Tensor exact_weight(at::ScalarType dtype) const;
  /// Returns the constant noise, [1, 1, resolution, resolution].
  at::Tensor constant_noise() const;

  /// x: [N, in, H, W] in the dtype of the computation, scaled by the styles. Returns the features,
  /// [N, out, H * up, W * up], and scaled for the convolution that follows.
  kernels::StyledActivationResults forward(const at::Tensor& x,
                                           const SynthesisLayerInputs& in) const;

 private:
  SynthesisLayerOptions options_;
  std::shared_ptr<FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor noise_const_;
  at::Tensor noise_strength_;
  at::Tensor bias_;
  at::Tensor filter_;
};

/// Converts features to an image: a modulated 1x1 convolution without demodulation.
///
/// Parameters: affine.*, weight [channels, in, 1, 1], bias [channels].
class ToRgbLayer : public torch::nn::Module {
 public:
  ToRgbLayer(int in_channels, const NetworkConfig& config);

  const FullyConnected& affine() const { return *affine_; }
  /// Returns the styles of w, [N, w_dim]; parameters: of affine().
  at::Tensor styles(const at::Tensor& w, const LayerParameters& parameters) const;
  /// x: [N, in, H, W]; styles: [N, in]. Returns [N, channels, H, W].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& styles) const;

 private:
  std::optional<double> clamp_;
  std::shared_ptr<FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor bias_;
};

/// The styles of a block's layers, [N, channels] each.
struct BlockStyles {
  at::Tensor conv0;  ///< undefined at 4x4
  at::Tensor conv1;
  at::Tensor torgb;

  const at::Tensor& first() const { return conv0.defined() ? conv0 : conv1; }
};

/// The layers of one resolution and its image, which is added to the upsampled image of the
/// resolution below (Karras et al. 2020, Figure 7, "output skips").
///
/// Parameters: const [width, 4, 4] at resolution 4; conv0.* above 4; conv1.*, torgb.*. Buffers:
///             resample_filter [4, 4].
class SynthesisBlock : public torch::nn::Module {
 public:
  SynthesisBlock(int resolution, const NetworkConfig& config);

  /// The features, scaled by the styles of the next block's first layer, and the image so far; both
  /// undefined before the first block.
  struct State {
    at::Tensor features;
    at::Tensor image;
  };
  struct Inputs {
    BlockStyles styles;
    at::Tensor next_styles;          ///< of the next block's first layer; undefined: none
    std::vector<at::Tensor> noises;  ///< of its layers, [N or 1, 1, resolution, resolution]
  };
  State forward(const State& below, const Inputs& in) const;

  /// Returns the layers that make styles of w vectors: conv0, conv1, torgb.
  std::vector<const EqualizedLayer*> affines() const;
  /// w: [N, w_dim] of each of its layers, then of its image; parameters: of affines().
  BlockStyles styles(std::span<const at::Tensor> w,
                     std::span<const LayerParameters> parameters) const;

  int layer_count() const { return conv0_ ? 2 : 1; }
  /// Returns the constant noises of its layers, [1, 1, resolution, resolution].
  std::vector<at::Tensor> constant_noises() const;

 private:
  std::vector<SynthesisLayerInputs> layer_inputs(const Inputs& in, at::ScalarType dtype) const;

  int resolution_;
  const NetworkConfig& config_;
  at::Tensor const_;  // only at resolution 4
  at::Tensor filter_;
  std::shared_ptr<SynthesisLayer> conv0_;  // null at 4
  std::shared_ptr<SynthesisLayer> conv1_;
  std::shared_ptr<ToRgbLayer> torgb_;
};

/// Synthesizes images from style vectors. Its blocks are b4, b8, ...
class Synthesis : public torch::nn::Module {
 public:
  /// config: outlives the network.
  explicit Synthesis(const NetworkConfig& config);

  /// w: [N, config.w_count(), w_dim]. Returns [N, channels, resolution, resolution] in the dtype of
  /// the parameters.
  at::Tensor forward(const at::Tensor& w, kernels::RandomStream* noise) const;

 private:
  std::vector<BlockStyles> styles(const at::Tensor& w) const;
  /// Returns the noises of all layers of each block, for N images.
  std::vector<std::vector<at::Tensor>> noises(std::int64_t N, const at::TensorOptions& options,
                                              kernels::RandomStream* noise) const;

  std::vector<std::shared_ptr<SynthesisBlock>> blocks_;
};

}  // namespace ganscale::models::stylegan2
