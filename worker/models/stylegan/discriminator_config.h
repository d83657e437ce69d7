#pragma once

#include <ATen/core/ScalarType.h>

#include <optional>

#include "comm/group/group.h"
#include "config/section.h"
#include "models/contract/model.h"

namespace ganscale::models::stylegan {

/// The architecture of StyleGAN2's discriminator (Karras et al. 2020, arXiv:1912.04958, Figure 7).
enum class Architecture { kResnet, kSkip, kOrig };

/// The images that form a group of the minibatch standard deviation.
enum class StddevGroups {
  kExact,  ///< of the global batch, over ranks if needed: independent of the world size
  kLocal,  ///< of this rank: groups are smaller if a rank has few images
};

/// The shape of a discriminator.
struct DiscriminatorConfig {
  Resolution resolution = 64;  ///< both sides are powers of two, 8 to 1024
  int channels = 3;            ///< of the images
  int label_count = 0;         ///< 0: unconditional
  int channel_base = 32768;
  int channel_max = 512;
  Architecture architecture = Architecture::kResnet;
  int stddev_group = 4;     ///< images per group; 0: the global batch
  int stddev_features = 1;  ///< 0: no minibatch standard deviation
  StddevGroups stddev_groups = StddevGroups::kExact;
  int low_precision_resolutions = 0;  ///< the highest ones, which compute in the low-precision type
  double conv_clamp = 256;            ///< of convolutions' activations, see clamp(); 0: none
  bool clamps_always = false;         ///< not only if there is a low-precision type
  /// float16 or bfloat16; float32 for networks trained in one of these, which keeps their clamp.
  std::optional<at::ScalarType> low_precision_type = {};
  /// The ranks that share their groups of the minibatch standard deviation; null: this rank has
  /// whole groups of its own. Outlives the network.
  comm::Group* stddev_ranks = nullptr;

  /// Returns the height and width of the features of the lowest resolution, 4x4 for squares.
  Resolution lowest_size() const { return resolution.scaled_to(4); }
  /// Returns the number of channels at a resolution. If one number is a resolution, it is the
  /// shorter side: images of another shape than a square have the layers of one.
  int width(int at_resolution) const;
  /// Returns the dtype in which the layers of this resolution compute; `dtype` is the parameters'.
  at::ScalarType compute_type(int at_resolution, at::ScalarType dtype) const;
  /// Returns the lowest resolution that may compute in the low-precision type.
  int lowest_low_precision_resolution() const;
  /// Returns the clamp of the activations of all convolutions but the one of the 4x4 image (kSkip).
  std::optional<double> clamp() const;
};

/// Reads the architecture and the minibatch standard deviation.
void read_discriminator(config::Section& in, DiscriminatorConfig& config);

/// Reads which layers compute in the low-precision type, and their clamp. It is used by all
/// layers above 4x4 for bfloat16, and by the four highest resolutions for float16, whose range is
/// small (Karras et al. 2020, arXiv:2006.06676, appendix D), unless a key says otherwise.
void read_precision(config::Section& in, const ModelConfig& model, DiscriminatorConfig& config);

/// The most layers of a mapping, and the most features of a layer: far above any practical size,
/// far below any machine's memory.
inline constexpr int kMostMappingLayers = 64;
inline constexpr int kMostFeatures = 8192;

/// Throws ConfigError for an impossible discriminator. model: its name; lowest_resolution: of it.
void require_possible(const config::Section& in, const DiscriminatorConfig& config,
                      const std::string& model, int lowest_resolution);

/// Sets what the images, the labels, the device and the ranks add to the keys.
void set_context(DiscriminatorConfig& config, const BuildContext& in);

/// Returns Blueprint::statistics_color() of the minibatch standard deviation: the ranks of a color
/// share groups of images. Throws ConfigError if they can't.
int stddev_color(const DiscriminatorConfig& config, std::int64_t batch, const comm::Group& world);

}  // namespace ganscale::models::stylegan
