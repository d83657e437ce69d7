#include "models/biggan/config.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/error.h"
#include "config/require_between.h"
#include "models/contract/power_of_two_sides.h"
#include "models/layers/convolutional_config.h"

namespace ganscale::models::biggan {
namespace {

using config::require_between;

// Far above any practical size, far below any machine's memory.
constexpr int kMostFeatures = 8192;
constexpr int kMostChannels = 1024;

struct Widths {
  std::vector<int> generator;
  std::vector<int> discriminator;
};

/// Returns the table of config.h.
const Widths& widths_of(int resolution) {
  static const std::map<int, Widths> kTable = {
      {32, {{4, 4, 4, 4}, {4, 4, 4, 4}}},
      {64, {{16, 16, 8, 4, 2}, {1, 2, 4, 8, 16}}},
      {128, {{16, 16, 8, 4, 2, 1}, {1, 2, 4, 8, 16, 16}}},
      {256, {{16, 16, 8, 8, 4, 2, 1}, {1, 2, 4, 8, 8, 16, 16}}},
      {512, {{16, 16, 8, 8, 4, 2, 1, 1}, {1, 1, 2, 4, 8, 8, 16, 16}}},
      {1024, {{16, 16, 8, 8, 4, 2, 1, 1, 1}, {1, 1, 1, 2, 4, 8, 8, 16, 16}}},
  };
  const auto found = kTable.find(resolution);
  check(found != kTable.end(), "a BigGAN has 32 to 1024 pixels");
  return found->second;
}

int log2_of(int resolution) { return std::countr_zero(static_cast<unsigned>(resolution)); }

bool contains(const std::vector<std::int64_t>& values, int value) {
  return std::ranges::find(values, value) != values.end();
}

/// Returns what attention after a stage of D is named for.
int discriminator_resolution(int resolution, std::size_t stage) {
  // The public implementation calls all four stages of 32 so, though their outputs are 16x16, 8x8,
  // 8x8 and 8x8: attention at 16 comes after each of them.
  if (resolution == 32) return 16;
  return std::max(kFirstSize, resolution >> (stage + 1));
}

std::vector<std::int64_t> default_attention(int resolution) {
  return {std::min(64, resolution / 2)};
}

void read_shape(config::Section& in, NetworkConfig& c) {
  c.is_hierarchical = in.get("hierarchical", c.is_hierarchical,
                             "feed a part of z to each resolution of the generator");
  constexpr int kNumbersOfAChunk = 20;  // as in the paper's networks of 128 to 512
  c.z_dim = in.get("z_dim", c.depth == Depth::kDeep ? 128 : kNumbersOfAChunk * c.z_chunks(),
                   "dimension of the latent z");
  c.shared_dim =
      in.get("shared_dim", c.shared_dim,
             "dimension of the label embedding that all batch norms of the generator share");
  c.generator_channels = in.get("generator_channels", c.generator_channels,
                                "the paper's ch: all widths are multiples of it");
  c.discriminator_channels =
      in.get("discriminator_channels", c.discriminator_channels, "the same for the discriminator");
  c.attention = in.get("attention", default_attention(c.resolution),
                       "resolutions followed by self-attention; []: none");
}

void read_normalization(config::Section& in, NetworkConfig& c) {
  c.norm.options.mode = read_batch_norm(in);
  c.norm.epsilon =
      in.get("batch_norm_epsilon", c.norm.epsilon, "term added to the variance in batch norms");
  c.recomputes = in.get("recompute_blocks", c.recomputes,
                        "keep only the input of each block and recompute the rest in the backward "
                        "pass: less memory, more time");
  c.spectral_epsilon = in.get("spectral_norm_epsilon", c.spectral_epsilon,
                              "minimum norm of a singular vector in spectral normalization");
}

void require_attention(const config::Section& in, const NetworkConfig& c) {
  for (const std::int64_t at : c.attention) {
    const bool is_there = at >= 2 * kFirstSize && at <= c.resolution &&
                          std::has_single_bit(static_cast<std::uint64_t>(at));
    in.require(is_there, "attention",
               "this model has the resolutions 8, 16, ... " + std::to_string(c.resolution) +
                   ", not " + std::to_string(at));
  }
}

void require_possible(const config::Section& in, const NetworkConfig& c) {
  require_between(in, "z_dim", c.z_dim, 1, kMostFeatures);
  const bool has_chunks = c.depth == Depth::kPlain && c.is_hierarchical;
  in.require(
      !has_chunks || c.z_dim % c.z_chunks() == 0, "z_dim",
      "must be a multiple of " + std::to_string(c.z_chunks()) +
          ", one part for the first layer and one for each resolution: " + std::to_string(c.z_dim));
  require_between(in, "shared_dim", c.shared_dim, 1, kMostFeatures);
  const int lowest = c.depth == Depth::kDeep ? 4 : 1;  // a bottleneck has a quarter
  require_between(in, "generator_channels", c.generator_channels, lowest, kMostChannels);
  require_between(in, "discriminator_channels", c.discriminator_channels, lowest, kMostChannels);
  in.require(c.norm.epsilon > 0, "batch_norm_epsilon", "must be positive");
  in.require(c.spectral_epsilon > 0, "spectral_norm_epsilon", "must be positive");
}

}  // namespace

int NetworkConfig::z_chunks() const { return log2_of(resolution / kFirstSize) + 1; }

std::vector<Stage> generator_stages(const NetworkConfig& config) {
  const auto& widths = widths_of(config.resolution).generator;
  std::vector<Stage> stages;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const int resolution = 2 * kFirstSize << i;
    stages.push_back({.in_channels = widths[i] * config.generator_channels,
                      .out_channels = widths[i + 1] * config.generator_channels,
                      .has_attention = contains(config.attention, resolution)});
  }
  return stages;
}

std::vector<Stage> discriminator_stages(const NetworkConfig& config) {
  const auto& widths = widths_of(config.resolution).discriminator;
  const bool is_deep = config.depth == Depth::kDeep;
  const auto halving = static_cast<std::size_t>(
      config.resolution == 32 ? 2 : log2_of(config.resolution / kFirstSize));
  std::vector<Stage> stages;
  int in_channels = is_deep ? widths[0] * config.discriminator_channels : config.channels;
  for (std::size_t i = is_deep ? 1 : 0; i < widths.size(); ++i) {
    const std::size_t stage = stages.size();
    const int out_channels = widths[i] * config.discriminator_channels;
    stages.push_back({.in_channels = in_channels,
                      .out_channels = out_channels,
                      .resamples = stage < halving,
                      .has_attention = contains(
                          config.attention, discriminator_resolution(config.resolution, stage))});
    in_channels = out_channels;
  }
  return stages;
}

NetworkConfig read_networks(config::Section& in, const ModelConfig& model, Depth depth) {
  require_sides(in, model.name, model.resolution, {.lowest = 32, .are_equal = true});
  NetworkConfig c;
  c.depth = depth;
  c.resolution = model.resolution.shorter_side();
  read_shape(in, c);
  read_normalization(in, c);
  require_possible(in, c);
  require_attention(in, c);
  return c;
}

}  // namespace ganscale::models::biggan
