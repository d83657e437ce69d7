#include "models/stylegan2/config.h"

#include <algorithm>
#include <bit>

namespace ganscale::models::stylegan2 {
namespace {

// Far above any practical size, far below any machine's memory.
constexpr int kMostFeatures = 8192;
constexpr int kMostMappingLayers = 64;
constexpr int kMostLowPrecisionResolutions = 8;  // of 1024: all above 4

void read_generator(config::Section& in, NetworkConfig& c) {
  c.z_dim = in.get("z_dim", c.z_dim, "dimension of the latent z");
  c.w_dim = in.get("w_dim", c.w_dim, "dimension of the style vector w");
  c.channel_base =
      in.get("channel_base", c.channel_base,
             "channels at a resolution: channel_base / resolution, at most channel_max");
  c.channel_max = in.get("channel_max", c.channel_max, "maximum number of channels");
  c.mapping_layers = in.get("mapping_layers", c.mapping_layers, "layers of the mapping network");
  c.w_average_beta = in.get("w_average_beta", c.w_average_beta,
                            "decay of the running mean of style vectors, per call");
  c.style_mixing =
      in.get("style_mixing", c.style_mixing, "probability of style mixing during training");
  const auto noise = in.get_choice("noise", "random", {"random", "constant"},
                                   "noise inputs of the layers during training");
  c.noise = noise == "constant" ? NoiseMode::kConstant : NoiseMode::kRandom;
}

void read_discriminator(config::Section& in, NetworkConfig& c) {
  const auto architecture = in.get_choice("discriminator", "resnet", {"resnet", "skip", "orig"},
                                          "architecture of the discriminator");
  if (architecture == "skip") c.discriminator = Architecture::kSkip;
  if (architecture == "orig") c.discriminator = Architecture::kOrig;
  c.stddev_group = in.get("mbstd_group", c.stddev_group,
                          "images per group of the minibatch standard deviation; 0: all");
  c.stddev_features = in.get("mbstd_features", c.stddev_features,
                             "channels that the minibatch standard deviation adds; 0: none");
  const auto groups = in.get_choice("mbstd", "exact", {"exact", "local"},
                                    "exact: groups of the global batch, across ranks if necessary; "
                                    "local: groups of a rank's images");
  c.stddev_groups = groups == "local" ? StddevGroups::kLocal : StddevGroups::kExact;
}

int default_low_precision_resolutions(const ModelConfig& model) {
  if (!model.low_precision_type) return 0;
  if (model.low_precision_type == at::kHalf) return 4;
  return std::max(0, std::countr_zero(static_cast<unsigned>(model.resolution)) - 2);
}

void read_precision(config::Section& in, const ModelConfig& model, NetworkConfig& c) {
  c.low_precision_resolutions =
      in.get("low_precision_resolutions", default_low_precision_resolutions(model),
             "number of resolutions, from the highest down to 8x8 pixels, that compute in fp16 or "
             "bf16 if training.precision says so; by default 4 in fp16, and all in bf16");
  c.conv_clamp =
      in.get("conv_clamp", c.conv_clamp,
             "maximum magnitude of their activations, which are clamped to it; 0: no limit");
}

void require_between(const config::Section& in, const char* key, int value, int lowest,
                     int highest) {
  in.require(value >= lowest && value <= highest, key,
             "must be " + std::to_string(lowest) + " to " + std::to_string(highest) + ": " +
                 std::to_string(value));
}

void require_stddev(const config::Section& in, const NetworkConfig& c) {
  in.require(c.stddev_group >= 0, "mbstd_group", "must not be negative");
  in.require(c.stddev_features >= 0, "mbstd_features", "must not be negative");
  const int width = c.width(4);
  in.require(c.stddev_features == 0 || width % c.stddev_features == 0, "mbstd_features",
             "must divide the channels at 4x4 pixels, " + std::to_string(width) + ": " +
                 std::to_string(c.stddev_features));
}

void require_possible(const config::Section& in, const NetworkConfig& c) {
  const bool is_power = std::has_single_bit(static_cast<unsigned>(c.resolution));
  in.require(
      is_power && c.resolution >= 8 && c.resolution <= 1024, "resolution",
      "stylegan2 supports the powers of two from 8 to 1024, not " + std::to_string(c.resolution));
  require_between(in, "z_dim", c.z_dim, 1, kMostFeatures);
  require_between(in, "w_dim", c.w_dim, 1, kMostFeatures);
  in.require(c.channel_base >= c.resolution, "channel_base", "must be at least the resolution");
  require_between(in, "channel_max", c.channel_max, 1, kMostFeatures);
  require_between(in, "mapping_layers", c.mapping_layers, 1, kMostMappingLayers);
  in.require(c.w_average_beta >= 0 && c.w_average_beta < 1, "w_average_beta", "must be in [0, 1)");
  in.require(c.style_mixing >= 0 && c.style_mixing <= 1, "style_mixing", "must be in [0, 1]");
  require_stddev(in, c);
  require_between(in, "low_precision_resolutions", c.low_precision_resolutions, 0,
                  kMostLowPrecisionResolutions);
  in.require(c.conv_clamp >= 0, "conv_clamp", "must not be negative");
}

}  // namespace

int NetworkConfig::width(int at_resolution) const {
  return std::min(channel_base / at_resolution, channel_max);
}

int NetworkConfig::w_count() const {
  return 2 * std::countr_zero(static_cast<unsigned>(resolution)) - 2;
}

at::ScalarType NetworkConfig::compute_type(int at_resolution, at::ScalarType dtype) const {
  const bool is_high = at_resolution > 4 && at_resolution > resolution >> low_precision_resolutions;
  return low_precision_type && is_high ? *low_precision_type : dtype;
}

std::optional<double> NetworkConfig::clamp() const {
  if (!low_precision_type || low_precision_resolutions == 0 || conv_clamp <= 0) return std::nullopt;
  return conv_clamp;
}

NetworkConfig read_networks(config::Section& in, const ModelConfig& model) {
  NetworkConfig c;
  c.resolution = model.resolution;
  read_generator(in, c);
  read_discriminator(in, c);
  read_precision(in, model, c);
  require_possible(in, c);
  return c;
}

}  // namespace ganscale::models::stylegan2
