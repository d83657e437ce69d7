#pragma once

#include <torch/nn/module.h>

#include <vector>

#include "kernels/counter_random/counter_random.h"
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

/// A modulated convolution with noise:
/// lrelu(conv(x, weight * style) + noise * noise_strength + bias).
///
/// Parameters: affine.*, weight [out, in, 3, 3], noise_strength [], bias [out]. Buffers:
///             noise_const [resolution, resolution], resample_filter [4, 4].
class SynthesisLayer : public torch::nn::Module {
 public:
  explicit SynthesisLayer(const SynthesisLayerOptions& options);

  /// x: [N, in, H, W] in the dtype of the computation; w: [N, w_dim]; noise: source of random
  /// noise, nullptr: noise_const. Returns [N, out, H * up, W * up].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& w, kernels::RandomStream* noise) const;

 private:
  at::Tensor add_noise(const at::Tensor& x, kernels::RandomStream* noise) const;

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

  /// x: [N, in, H, W]; w: [N, w_dim]. Returns [N, channels, H, W].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& w) const;

 private:
  double weight_gain_;
  std::optional<double> clamp_;
  std::shared_ptr<FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor bias_;
};

/// The layers of one resolution and its image, which is added to the upsampled image of the
/// resolution below (Karras et al. 2020, Figure 7, "output skips").
///
/// Parameters: const [width, 4, 4] at resolution 4; conv0.* above 4; conv1.*, torgb.*. Buffers:
///             resample_filter [4, 4].
class SynthesisBlock : public torch::nn::Module {
 public:
  SynthesisBlock(int resolution, const NetworkConfig& config);

  /// The features and the image so far; both undefined before the first block.
  struct State {
    at::Tensor features;
    at::Tensor image;
  };
  /// w: [N, layer_count() + 1, w_dim], of its layers and of its image.
  State forward(const State& below, const at::Tensor& w, kernels::RandomStream* noise) const;

  int layer_count() const { return conv0_ ? 2 : 1; }

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

  /// w: [N, config.w_count(), w_dim]. Returns [N, channels, resolution, resolution] in the dtype of
  /// the parameters.
  at::Tensor forward(const at::Tensor& w, kernels::RandomStream* noise) const;

 private:
  std::vector<std::shared_ptr<SynthesisBlock>> blocks_;
};

}  // namespace ganscale::models::stylegan2
