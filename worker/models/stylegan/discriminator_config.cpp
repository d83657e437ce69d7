#include "models/stylegan/discriminator_config.h"

#include <algorithm>
#include <bit>

#include "config/require_between.h"
#include "models/contract/power_of_two_sides.h"
#include "models/stylegan/stddev_layer.h"

namespace ganscale::models::stylegan {
namespace {

using config::require_between;

constexpr int kMostLowPrecisionResolutions = 8;  // of 1024: all above 4

constexpr EnumNames<Architecture, 3> kArchitectures{{{Architecture::kResnet, "resnet"},
                                                     {Architecture::kSkip, "skip"},
                                                     {Architecture::kOrig, "orig"}}};
constexpr EnumNames<StddevGroups, 2> kStddevGroups{
    {{StddevGroups::kExact, "exact"}, {StddevGroups::kLocal, "local"}}};

int default_low_precision_resolutions(const ModelConfig& model) {
  if (!model.low_precision_type) return 0;
  if (model.low_precision_type == at::kHalf) return 4;
  return std::max(0, std::countr_zero(static_cast<unsigned>(model.resolution.shorter_side())) - 2);
}

void require_stddev(const config::Section& in, const DiscriminatorConfig& c) {
  in.require(c.stddev_group >= 0, "mbstd_group", "must not be negative");
  in.require(c.stddev_features >= 0, "mbstd_features", "must not be negative");
  const int width = c.width(4);
  in.require(c.stddev_features == 0 || width % c.stddev_features == 0, "mbstd_features",
             "must divide the channels at 4x4 pixels, " + std::to_string(width) + ": " +
                 std::to_string(c.stddev_features));
}

}  // namespace

int DiscriminatorConfig::width(int at_resolution) const {
  return std::min(channel_base / at_resolution, channel_max);
}

at::ScalarType DiscriminatorConfig::compute_type(int at_resolution, at::ScalarType dtype) const {
  const bool is_high =
      at_resolution > 4 && at_resolution > resolution.shorter_side() >> low_precision_resolutions;
  return low_precision_type && is_high ? *low_precision_type : dtype;
}

int DiscriminatorConfig::lowest_low_precision_resolution() const {
  return std::max(8, 2 * (resolution.shorter_side() >> low_precision_resolutions));
}

std::optional<double> DiscriminatorConfig::clamp() const {
  const bool has_low_precision = low_precision_type && low_precision_resolutions > 0;
  if (conv_clamp <= 0 || (!has_low_precision && !clamps_always)) return std::nullopt;
  return conv_clamp;
}

void read_discriminator(config::Section& in, DiscriminatorConfig& c) {
  c.architecture = in.get_choice("discriminator", c.architecture, kArchitectures,
                                 "architecture of the discriminator");
  c.stddev_group = in.get("mbstd_group", c.stddev_group,
                          "images per group of the minibatch standard deviation; 0: all");
  c.stddev_features = in.get("mbstd_features", c.stddev_features,
                             "channels that the minibatch standard deviation adds; 0: none");
  c.stddev_groups = in.get_choice("mbstd", c.stddev_groups, kStddevGroups,
                                  "exact: groups of the global batch, across ranks if necessary; "
                                  "local: groups of a rank's images");
}

void read_precision(config::Section& in, const ModelConfig& model, DiscriminatorConfig& c) {
  c.low_precision_resolutions =
      in.get("low_precision_resolutions", default_low_precision_resolutions(model),
             "number of resolutions, from the highest down to 8x8 pixels, that compute in fp16 or "
             "bf16 if training.precision says so; by default 4 in fp16, and all in bf16");
  c.conv_clamp = in.get(
      "conv_clamp", c.conv_clamp,
      "maximum magnitude of activations, to which convolutions clamp them (stylegan2: only if "
      "some compute in low precision); 0: no limit");
}

void require_possible(const config::Section& in, const DiscriminatorConfig& c,
                      const std::string& model, int lowest_resolution) {
  require_sides(in, model, c.resolution, {.lowest = lowest_resolution});
  in.require(c.channel_base >= c.resolution.shorter_side(), "channel_base",
             "must be at least the resolution");
  require_between(in, "channel_max", c.channel_max, 1, kMostFeatures);
  require_stddev(in, c);
  require_between(in, "low_precision_resolutions", c.low_precision_resolutions, 0,
                  kMostLowPrecisionResolutions);
  in.require(c.conv_clamp >= 0, "conv_clamp", "must not be negative");
}

void set_context(DiscriminatorConfig& config, const BuildContext& in) {
  config.resolution = in.image.resolution;
  config.channels = in.image.channels;
  config.label_count = in.label_count;
  config.low_precision_type = in.low_precision_type;
  const bool shares = config.stddev_groups == StddevGroups::kExact;
  config.stddev_ranks = shares ? in.statistics_group : nullptr;
}

int stddev_color(const DiscriminatorConfig& config, std::int64_t batch, const comm::Group& world) {
  if (config.stddev_features == 0) return 0;
  const int world_size = world.size();
  const auto ranks_of = [&](int ranks) {
    return ranks_of_a_group(config.stddev_group, batch / world_size, ranks);
  };
  if (config.stddev_groups == StddevGroups::kLocal) {
    ranks_of(1);  // throws if a rank's batch has no whole groups
    return 0;
  }
  return world.rank() % (world_size / ranks_of(world_size));
}

}  // namespace ganscale::models::stylegan
