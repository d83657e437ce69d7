#include "models/r3gan/config.h"

#include <algorithm>
#include <bit>
#include <string>

#include "config/require_between.h"
#include "models/contract/power_of_two_sides.h"

namespace ganscale::models::r3gan {
namespace {

using config::require_between;

// Far above any practical size, far below any machine's memory.
constexpr int kMostFeatures = 8192;
constexpr int kMostBlocks = 64;
constexpr int kMostExpansion = 16;

using Numbers = std::vector<std::int64_t>;

std::size_t stage_count(int resolution) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(resolution))) - 1;
}

/// Returns the width of each stage, from 4x4 up.
Numbers default_widths(std::size_t count, std::int64_t base, std::int64_t highest) {
  Numbers widths;
  for (std::size_t stage = 0; stage < count; ++stage)
    widths.push_back(std::clamp<std::int64_t>(base / (kFirstSize << stage), 1, highest));
  return widths;
}

Numbers default_cardinality(const Numbers& widths, std::int64_t expansion,
                            std::int64_t group_channels) {
  Numbers groups;
  for (const std::int64_t width : widths)
    groups.push_back(std::max<std::int64_t>(1, expansion * width / group_channels));
  return groups;
}

/// Reads a number for each stage.
Numbers read_of_stages(config::Section& in, const char* key, const Numbers& fallback,
                       std::int64_t highest, const char* documentation) {
  Numbers numbers = in.get(key, fallback, documentation);
  in.require(numbers.size() == fallback.size(), key,
             "this resolution has " + std::to_string(fallback.size()) +
                 " stages, each of which needs a number: " + std::to_string(numbers.size()));
  for (const std::int64_t number : numbers) require_between(in, key, number, 1, highest);
  return numbers;
}

Numbers read_widths(config::Section& in, std::size_t count) {
  const int base = in.get("channel_base", 24576,
                          "channels of a stage: channel_base / resolution, at most channel_max");
  require_between(in, "channel_base", base, 1, kMostFeatures * 1024);
  const int highest = in.get("channel_max", 768, "maximum number of channels of a stage");
  require_between(in, "channel_max", highest, 1, kMostFeatures);
  return read_of_stages(in, "widths", default_widths(count, base, highest), kMostFeatures,
                        "channels of each stage, from 4 pixels up to the resolution");
}

Numbers read_cardinality(config::Section& in, const Numbers& widths, std::int64_t expansion) {
  const int group_channels = in.get("group_channels", 16, "channels of a group inside a block");
  require_between(in, "group_channels", group_channels, 1, kMostFeatures);
  return read_of_stages(in, "cardinality", default_cardinality(widths, expansion, group_channels),
                        kMostFeatures, "groups of the 3x3 convolutions of each stage");
}

void read_stages(config::Section& in, NetworkConfig& c) {
  const std::size_t count = stage_count(c.resolution.shorter_side());
  const Numbers widths = read_widths(in, count);
  c.expansion = in.get("expansion", c.expansion, "channels inside a block, by its width");
  require_between(in, "expansion", c.expansion, 1, kMostExpansion);
  const Numbers groups = read_cardinality(in, widths, c.expansion);
  const Numbers blocks =
      read_of_stages(in, "blocks", Numbers(count, 2), kMostBlocks, "residual blocks of each stage");
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t channels = c.expansion * widths[i];
    in.require(channels % groups[i] == 0, "cardinality",
               "must divide the channels inside the blocks, expansion x width = " +
                   std::to_string(channels) + " at " +
                   text_of(c.resolution.scaled_to(kFirstSize << i)) + ": " +
                   std::to_string(groups[i]));
    c.stages.push_back({widths[i], groups[i], blocks[i]});
  }
}

void read_labels(config::Section& in, NetworkConfig& c) {
  c.label_dim = in.get("label_dim", c.label_dim,
                       "length of the label's embedding that is appended to the latent z");
  require_between(in, "label_dim", c.label_dim, 1, kMostFeatures);
  c.score_label_dim =
      in.get("score_label_dim", c.stages.front().width,
             "length of the label's embedding that the discriminator compares images with");
  require_between(in, "score_label_dim", c.score_label_dim, 1, kMostFeatures);
}

}  // namespace

at::ScalarType NetworkConfig::compute_type(std::size_t stage, at::ScalarType dtype) const {
  const auto low = static_cast<std::size_t>(low_precision_resolutions);
  const bool is_high = stage + low >= stages.size();
  return low_precision_type && is_high ? *low_precision_type : dtype;
}

std::int64_t NetworkConfig::block_count() const {
  std::int64_t count = 0;
  for (const Stage& stage : stages) count += stage.blocks;
  return count;
}

NetworkConfig read_networks(config::Section& in, const ModelConfig& model) {
  require_sides(in, model.name, model.resolution, {.lowest = 8});
  NetworkConfig c;
  c.resolution = model.resolution;
  c.z_dim = in.get("z_dim", c.z_dim, "dimension of the latent z");
  require_between(in, "z_dim", c.z_dim, 1, kMostFeatures);
  read_stages(in, c);
  read_labels(in, c);
  const int above_first = static_cast<int>(c.stages.size()) - 1;
  constexpr int kLowAsPublished = 4;
  c.low_precision_resolutions =
      in.get("low_precision_resolutions", std::min(kLowAsPublished, above_first),
             "number of resolutions, from the highest down, that compute in bf16 if "
             "training.precision says so; by default 4, but not 4x4");
  in.require(c.low_precision_resolutions >= 0 && c.low_precision_resolutions <= above_first,
             "low_precision_resolutions",
             "must be 0 to " + std::to_string(above_first) + ": " +
                 std::to_string(c.low_precision_resolutions));
  return c;
}

}  // namespace ganscale::models::r3gan
