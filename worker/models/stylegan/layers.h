#pragma once

#include <torch/nn/module.h>

#include <map>
#include <optional>
#include <vector>

#include "kernels/bias_act/bias_act.h"
#include "kernels/convolution/convolution.h"
#include "kernels/scaled_copies/scaled_copies.h"
#include "models/contract/layout.h"

/// The layers of StyleGAN2 and 3. Weights are initialized with N(0, 1) and scaled at run time
/// ("equalized learning rate", Karras et al. 2018, arXiv:1710.10196, Section 4.1).
namespace ganscale::models::stylegan {

/// Returns the filter [1, 3, 3, 1] x [1, 3, 3, 1] / 64 of all resampling.
at::Tensor resampling_filter();

/// The parameters of a layer as it computes with them.
struct LayerParameters {
  at::Tensor weight = {};
  at::Tensor bias = {};  ///< undefined without one
};

/// A layer whose parameters are scaled at run time.
class EqualizedLayer : public torch::nn::Module, public LaidOut {
 public:
  const at::Tensor& weight() const { return weight_; }
  double weight_gain() const { return weight_gain_; }
  const at::Tensor& bias() const { return bias_; }
  double bias_gain() const { return bias_gain_; }

 protected:
  EqualizedLayer(double weight_gain, double bias_gain)
      : weight_gain_(weight_gain), bias_gain_(bias_gain) {}

  at::Tensor weight_;
  at::Tensor bias_;  // undefined without one

 private:
  double weight_gain_;
  double bias_gain_;
};

/// A parameter, and the type in which a layer takes it.
struct TypedWeight {
  kernels::ScaledWeight weight;
  at::ScalarType dtype;
};

/// Copies of parameters that a network keeps until they change, by the type of the copies.
using KeptByType = std::map<at::ScalarType, kernels::KeptResults>;

/// Returns kernels::scaled_copies() of each, by one launch for all of a type.
std::vector<at::Tensor> scaled_by_type(const std::vector<TypedWeight>& weights,
                                       KeptByType* kept = nullptr);
/// The same of kernels::copies_and_energies().
kernels::CopiesAndEnergies copies_and_energies_by_type(const std::vector<TypedWeight>& weights,
                                                       KeptByType* kept);

/// A layer, null for one that a network does not have, and the dtype of its features.
struct TypedLayer {
  const EqualizedLayer* layer;
  at::ScalarType dtype;
};

/// Returns the scaled parameters of layers for their features, in the layers' layout, on a GPU by
/// one launch for all of a dtype. A null layer has none.
///
/// kept: from the same layers' last forward pass; null: none.
std::vector<LayerParameters> parameters_for(const std::vector<TypedLayer>& layers,
                                            KeptByType* kept = nullptr);
/// The same for features of one dtype.
std::vector<LayerParameters> parameters_for(const std::vector<const EqualizedLayer*>& layers,
                                            at::ScalarType dtype, KeptByType* kept = nullptr);

struct FullyConnectedOptions {
  kernels::Activation activation = kernels::Activation::kLinear;
  double rate_multiplier = 1;  ///< learning rate multiplier, by scaling the weights
  /// The initial bias as the layer adds it: of all features, or of each.
  std::vector<double> first_bias = {0};
  double result_gain = 1;  ///< of a linear layer
};

/// y = gain * f(x weight^T + bias).
///
/// Parameters: weight [out, in], bias [out].
class FullyConnected : public EqualizedLayer {
 public:
  FullyConnected(std::int64_t in_features, std::int64_t out_features,
                 const FullyConnectedOptions& options = {});

  /// x: [N, in]; parameters: those for x. Returns [N, out].
  at::Tensor forward(const at::Tensor& x, const LayerParameters& parameters) const;
  at::Tensor forward(const at::Tensor& x) const;

 private:
  FullyConnectedOptions options_;
};

struct ConvolutionLayerOptions {
  int kernel = 3;
  int down = 1;
  bool bias = true;
  kernels::Activation activation = kernels::Activation::kLeakyRelu;
  std::optional<double> clamp = {};
  double result_gain = 1;  ///< scales the result, and the clamp with it
};

/// A convolution of D: y = gain * f(x * weight + bias), downsampled by `down`. A linear one has
/// neither bias nor clamp, and its gain is in the weight.
///
/// Parameters: weight [out, in, K, K], bias [out]. Buffers: resample_filter [4, 4].
class ConvolutionLayer : public EqualizedLayer {
 public:
  ConvolutionLayer(std::int64_t in_channels, std::int64_t out_channels,
                   const ConvolutionLayerOptions& options);

  /// x: [N, in, H, W]; parameters: those for x. addend: of the result's shape, added to it;
  /// undefined: none, as for a linear layer. Returns [N, out, H / down, W / down].
  at::Tensor forward(const at::Tensor& x, const LayerParameters& parameters,
                     const at::Tensor& addend = {}) const;

 private:
  ConvolutionLayerOptions options_;
  at::Tensor filter_;
};

}  // namespace ganscale::models::stylegan
