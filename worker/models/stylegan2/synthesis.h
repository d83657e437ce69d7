#pragma once

#include <torch/nn/module.h>

#include <vector>

#include "kernels/counter_random/counter_random.h"
#include "kernels/scaled_copies/scaled_copies.h"
#include "kernels/styled_activation/styled_activation.h"
#include "models/stylegan/layers.h"
#include "models/stylegan2/config.h"

namespace ganscale::models::stylegan2 {

/// A modulated convolution with noise:
/// lrelu(conv(x, weight * style) + noise * noise_strength + bias).
///
/// Parameters: affine.*, weight [out, in, 3, 3], noise_strength [], bias [out]. Buffers:
///             noise_const [height, width], resample_filter [4, 4].
class SynthesisLayer : public torch::nn::Module, public LaidOut {
 public:
  struct Options {
    int in_channels = 0;
    int out_channels = 0;
    int w_dim = 512;
    Resolution resolution = 4;  ///< of the result
    int up = 1;
    std::optional<double> clamp = {};
  };
  explicit SynthesisLayer(const Options& options);

  const stylegan::FullyConnected& affine() const { return *affine_; }
  /// Returns the weight for features of this dtype, in the parameters' dtype.
  at::Tensor exact_weight(at::ScalarType dtype) const;
  /// Returns how its convolution takes it.
  kernels::WeightLayout weight_layout(at::ScalarType dtype) const;
  /// Returns the constant noise, [1, 1, height, width].
  at::Tensor constant_noise() const;

  /// What it computes with in addition to its features.
  struct Inputs {
    at::Tensor weight;            ///< [out, in, 3, 3] in the features' dtype
    at::Tensor demodulation;      ///< [N, out]
    at::Tensor noise;             ///< [N or 1, 1, H, W]
    at::Tensor next_styles = {};  ///< [N, out], of the convolution that follows; undefined: none
  };
  /// x: [N, in, H, W] in the dtype of the computation, scaled by the styles. Returns the features,
  /// [N, out, H * up, W * up], and scaled for the convolution that follows.
  kernels::StyledActivationResults forward(const at::Tensor& x, const Inputs& in) const;

 private:
  Options options_;
  std::shared_ptr<stylegan::FullyConnected> affine_;
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

  const stylegan::FullyConnected& affine() const { return *affine_; }
  /// Returns the weight as a matrix, [channels, in].
  at::Tensor weight() const { return weight_.flatten(1); }
  /// x: [N, in, H, W]; weights: weight() times the styles of affine(), [N, channels, in] of x's
  /// dtype; image: the sum of the resolutions below, [N, channels, H, W], or undefined. Returns that
  /// plus its own in the parameters' dtype.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& weights, const at::Tensor& image) const;

 private:
  std::optional<double> clamp_;
  std::shared_ptr<stylegan::FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor bias_;
};

/// The layers of one resolution and its image, which is added to the upsampled image of the
/// resolution below (Karras et al. 2020, Figure 7, "output skips").
///
/// Parameters: const [width, 4, 4] (4x8 of images twice as wide as high) at resolution 4; conv0.* above 4; conv1.*, torgb.*. Buffers:
///             resample_filter [4, 4].
class SynthesisBlock : public torch::nn::Module, public LaidOut {
 public:
  /// resolution: the shorter side of its features.
  SynthesisBlock(int resolution, const NetworkConfig& config);

  /// The features, scaled by the styles of the next block's first layer, and the image so far; both
  /// undefined before the first block.
  struct State {
    at::Tensor features;
    at::Tensor image;
  };
  struct Inputs {
    at::Tensor styles;  ///< [N, in] of its first layer: at 4x4 it scales its own input
    std::vector<SynthesisLayer::Inputs> layers;
    at::Tensor rgb_weights;  ///< [N, channels, width] of its image
  };
  State forward(const State& below, const Inputs& in) const;

  /// Returns its convolutions: conv0 above 4x4, conv1.
  std::vector<const SynthesisLayer*> layers() const;
  const ToRgbLayer& torgb() const { return *torgb_; }
  /// Returns the dtype in which it computes; parameters: theirs.
  at::ScalarType compute_type(at::ScalarType parameters) const;

 private:
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

  /// w: [N, config.w_count(), w_dim]. Returns [N, channels, height, width] in the dtype of the
  /// parameters.
  at::Tensor forward(const at::Tensor& w, RandomStream* noise) const;

  /// Computes ahead of a pass what it would compute by itself and keep.
  void prepare_weights() const;

 private:
  /// What all layers compute with that depends only on parameters.
  struct LayerWeights {
    std::vector<stylegan::LayerParameters> of_affines;
    std::vector<at::Tensor> of_convolutions;  ///< SynthesisLayer::Inputs::weight
    std::vector<at::Tensor> energies;         ///< of the convolutions' weights
  };
  /// Returns them from the last forward pass if no parameter has changed; but weights for float16
  /// are computed for each pass.
  LayerWeights layer_weights() const;
  std::vector<stylegan::LayerParameters> affine_parameters() const;
  at::ScalarType type_of_parameters() const;
  /// Whether layer_weights() keeps the convolutions' weights until they change.
  bool keeps_convolutions() const;
  /// A layer that makes styles, and which w vector it makes them of.
  struct Affine {
    const stylegan::EqualizedLayer* layer;
    std::int64_t vector;
  };
  /// Returns all layers but toRGB layers, then these.
  std::vector<Affine> affines() const;
  /// The styles of all layers, side by side.
  struct LayerStyles {
    at::Tensor of_layers;          ///< [N, sum of in channels], without toRGB layers
    std::vector<at::Tensor> each;  ///< of the same, [N, in] each
    at::Tensor of_rgb;             ///< [N, sum of in channels] of the toRGB layers
  };
  LayerStyles styles(const at::Tensor& w,
                     const std::vector<stylegan::LayerParameters>& of_affines) const;
  /// Scales the styles of layers in float16, see kernels::styles_for_float16().
  void scale_for_float16(LayerStyles& styles) const;
  /// Returns what each layer of all blocks computes with. What they have in common is computed for
  /// all of them at once: on a GPU a layer's own share would not fill a launch.
  std::vector<SynthesisLayer::Inputs> layer_inputs(const LayerStyles& styles,
                                                   const LayerWeights& weights,
                                                   RandomStream* noise) const;
  /// Returns SynthesisBlock::Inputs::rgb_weights of each block.
  std::vector<at::Tensor> rgb_weights(const at::Tensor& styles) const;
  /// Returns the noises of all layers for N images.
  std::vector<at::Tensor> noises(std::int64_t N, const at::TensorOptions& options,
                                 RandomStream* noise) const;

  std::vector<std::shared_ptr<SynthesisBlock>> blocks_;
  mutable stylegan::KeptByType kept_affines_;
  mutable stylegan::KeptByType kept_convolutions_;
};

}  // namespace ganscale::models::stylegan2
