#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace ganscale::metrics {

/// What a feature network says of images.
struct Features {
  at::Tensor features;  ///< [N, D] float32
  at::Tensor logits;    ///< [N, classes] float32, up to a constant a row; undefined if it has none
};

/// Returns the row of the first image with a feature or logit that is NaN or infinite; nothing if
/// all are finite.
std::optional<std::int64_t> first_nonfinite_row(const Features& features);

/// A trained network whose last layer but one describes images, and whose last one names them.
class FeatureNet {
 public:
  virtual ~FeatureNet() = default;

  /// images: [N, C, H, W] uint8 in the colors and the size of the run.
  /// Throws: DataError if the network can't take them.
  virtual Features extract(const at::Tensor& images) = 0;
};

/// Which feature network, and what it wants to see.
struct FeatureNetConfig {
  std::filesystem::path file;
  std::string sha256 = {};      ///< that the file must have; empty: any
  std::int64_t resolution = 0;  ///< scale images to it as TensorFlow 1 does; 0: leave them
  bool signed_range = false;    ///< pixels in [-1, 1] rather than in [0, 255]
};

/// A feature network that was tried on an image.
struct OpenFeatureNet {
  std::unique_ptr<FeatureNet> net;
  std::int64_t feature_count = 0;
  std::int64_t class_count = 0;  ///< 0: it gives no logits
  std::string sha256;            ///< of its file
};

/// The shape of the images that will come.
struct ImageShape {
  std::int64_t channels = 3;
  std::int64_t resolution = 32;
};

/// Opens a feature network:
///
/// | file | network | what it sees |
/// |---|---|---|
/// | `.safetensors` | the built-in InceptionV3, FID variant (metrics/inception.h) | as there |
/// | TorchScript with an argument `return_features` | NVIDIA's `inception-2015-12-05.pt` | RGB
/// uint8; it resizes by itself | | any other TorchScript | forward(images) gives features [N, D],
/// or (features, logits) | float32, as the configuration says |
///
/// Gray images become RGB for the first two.
/// Throws: ConfigError: no such file (it says where to get one), another SHA-256, no network, an
///         output that is not [N, D], or NaN.
OpenFeatureNet open_feature_net(const FeatureNetConfig& config, ImageShape image,
                                at::Device device);

}  // namespace ganscale::metrics
