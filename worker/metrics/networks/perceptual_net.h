#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>

#include "metrics/networks/feature_net.h"

namespace ganscale::metrics {

/// Embeds images so that the squared distance of two embeddings is their perceptual distance.
///
/// Paper: Zhang et al. 2018, arXiv:1801.03924 (LPIPS).
class PerceptualNet {
 public:
  virtual ~PerceptualNet() = default;

  /// Without TF32. Images of 512 pixels and more are averaged down to 256, which these networks are
  /// trained for; gray ones are converted to RGB.
  ///
  /// images:  [N, C, H, W] floating, in [-1, 1]; differentiable.
  /// Returns: [N, D] float32.
  /// Throws:  DataError if the network can't process them.
  at::Tensor embed(const at::Tensor& images);

 private:
  /// images: [N, 3, H, W] float32, in [0, 255].
  virtual at::Tensor compute(const at::Tensor& images) = 0;
};

/// Returns the squared distances of embeddings, [N].
at::Tensor perceptual_distances(const at::Tensor& a, const at::Tensor& b);

/// Which perceptual network.
struct PerceptualNetConfig {
  std::filesystem::path file;
  std::string sha256 = {};  ///< expected for the file; empty: any
};

/// A perceptual network that was tested on images.
struct OpenPerceptualNet {
  std::unique_ptr<PerceptualNet> net;
  std::string sha256;  ///< of its file
};

/// Opens a TorchScript module: NVIDIA's `vgg16.pt`, which has an argument `return_lpips`, or any
/// other that maps images of [0, 255] to embeddings.
///
/// image:  shape of the images to come, with two of which it is tested.
/// Throws: ConfigError: no such file (with where to get one), another SHA-256, not a module, an
///         output that is not [N, D] or has NaN.
OpenPerceptualNet open_perceptual_net(const PerceptualNetConfig& config, ImageShape image,
                                      at::Device device);

}  // namespace ganscale::metrics
