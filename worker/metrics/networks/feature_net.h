#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tensors/image_shape.h"

namespace ganscale::metrics {

/// The output of a feature network.
struct Features {
  at::Tensor features;  ///< [N, D] float32; may be undefined if they are not wanted
  at::Tensor logits;    ///< [N, classes] float32, up to a constant per row; may be undefined
};

/// Which outputs of a feature network are wanted.
struct WantedOutputs {
  bool features = true;
  bool logits = true;
};

/// Returns the row of the first image with a NaN or infinite feature or logit, or nothing if all
/// are finite. Undefined outputs are left out.
std::optional<std::int64_t> first_nonfinite_row(const Features& features);

/// A trained classifier whose second to last layer gives the features of images.
class FeatureNet {
 public:
  virtual ~FeatureNet() = default;

  /// Without TF32, whatever the run computes in: cached features serve runs of any precision.
  ///
  /// images: [N, C, H, W] uint8 with the channels and resolution of the run.
  /// wanted: a network that runs once for each output leaves out the others.
  /// Throws: DataError if the network can't process them.
  Features extract(const at::Tensor& images, WantedOutputs wanted = {});

 private:
  virtual Features compute(const at::Tensor& images, WantedOutputs wanted) = 0;
};

/// Which feature network, and what input it expects.
struct FeatureNetConfig {
  std::filesystem::path file;
  std::string sha256 = {};      ///< expected for the file; empty: any
  std::int64_t resolution = 0;  ///< to resize images to, as TensorFlow 1 does; 0: do not resize
  bool signed_range = false;    ///< pixels in [-1, 1] rather than in [0, 255]
};

/// A feature network that was tested on an image.
struct OpenFeatureNet {
  std::unique_ptr<FeatureNet> net;
  std::int64_t feature_count = 0;
  std::int64_t class_count = 0;  ///< 0 if it has no logits
  std::string sha256;            ///< of its file
};

/// Opens a feature network:
///
/// | file | network | input |
/// |---|---|---|
/// | `.safetensors` | built-in InceptionV3, FID variant | see metrics/networks/inception.h |
/// | TorchScript with `return_features` | NVIDIA's `inception-2015-12-05.pt` | RGB uint8 |
/// | any other TorchScript | gives features [N, D], or (features, logits) | float32 as configured |
///
/// Gray images are converted to RGB for the first two.
/// Throws: ConfigError: no such file (with where to get one), another SHA-256, not a network, an
///         output that is not [N, D] or has NaN.
OpenFeatureNet open_feature_net(const FeatureNetConfig& config, ImageShape image,
                                at::Device device);

}  // namespace ganscale::metrics
