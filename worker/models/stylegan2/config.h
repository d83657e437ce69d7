#pragma once

#include <ATen/core/ScalarType.h>

#include <optional>

#include "comm/group/group.h"
#include "config/section.h"
#include "models/contract/model.h"

namespace ganscale::models::stylegan2 {

/// The architecture of StyleGAN2's discriminator (Karras et al. 2020, arXiv:1912.04958, Figure 7).
enum class Architecture { kResnet, kSkip, kOrig };

/// The images that form a group of the minibatch standard deviation.
enum class StddevGroups {
  kExact,  ///< those of the global batch, over ranks if needed: independent of the world size
  kLocal,  ///< those of this rank: groups are smaller if a rank has few images
};

/// The noise in the layers of the generator.
enum class NoiseMode {
  kRandom,    ///< random per image while training, constant otherwise
  kConstant,  ///< always the constant noise buffers
};

/// The shape of both networks.
struct NetworkConfig {
  int resolution = 64;  ///< a power of two, 8 to 1024
  int channels = 3;     ///< of the images
  int z_dim = 512;
  int w_dim = 512;
  int label_count = 0;  ///< 0: unconditional
  int channel_base = 32768;
  int channel_max = 512;
  int mapping_layers = 8;
  int discriminator_mapping_layers = 8;  ///< of its labels
  double w_average_beta = 0.995;
  double style_mixing = 0.9;  ///< probability of style mixing while training
  NoiseMode noise = NoiseMode::kRandom;
  Architecture discriminator = Architecture::kResnet;
  int stddev_group = 4;     ///< images per group; 0: the global batch
  int stddev_features = 1;  ///< 0: no minibatch standard deviation
  StddevGroups stddev_groups = StddevGroups::kExact;
  int low_precision_resolutions = 0;  ///< the highest ones, which compute in the low-precision type
  double conv_clamp = 256;  ///< of all activations where there is a low-precision type; 0: none
  /// float16 or bfloat16; float32 for networks trained in one of these, which keeps their clamp.
  std::optional<at::ScalarType> low_precision_type = {};
  /// The ranks that share their groups of the minibatch standard deviation; null: this rank has
  /// whole groups of its own. Outlives the networks.
  comm::Group* stddev_ranks = nullptr;

  /// Returns the number of channels at a resolution.
  int width(int at_resolution) const;
  /// Returns the number of w vectors per image: one per layer, and one for the last toRGB layer.
  int w_count() const;
  /// Returns the dtype in which the layers of this resolution compute; `dtype` is the parameters'.
  at::ScalarType compute_type(int at_resolution, at::ScalarType dtype) const;
  /// Returns the clamp of all activations.
  std::optional<double> clamp() const;
};

/// Reads the keys of `model` that are specific to this model. The low-precision type is that of all
/// layers above 4x4 in bfloat16, and of the four highest resolutions in float16, whose range is
/// small (Karras et al. 2020, arXiv:2006.06676, appendix D), unless a key says otherwise. Throws
/// ConfigError.
NetworkConfig read_networks(config::Section& in, const ModelConfig& model);

}  // namespace ganscale::models::stylegan2
