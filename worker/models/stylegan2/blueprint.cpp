#include "models/stylegan2/blueprint.h"

#include <algorithm>
#include <array>

#include "models/layers/initial_weights.h"
#include "models/stylegan2/discriminator.h"
#include "models/stylegan2/generator.h"
#include "models/stylegan2/stddev_layer.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan2 {
namespace {

constexpr std::array<std::string_view, 9> kKeysOfWeights = {
    "resolution",  "z_dim",         "w_dim",       "mapping_layers", "channel_base",
    "channel_max", "discriminator", "mbstd_group", "mbstd_features"};

}  // namespace

const PublicWeights kPublicWeights = {
    .kind = "stylegan2_weights", .script = "scripts/convert-stylegan2.py", .keys = kKeysOfWeights};

void read(config::Section& in, ModelConfig& config) {
  in.get("preset", "none", "defaults of the other keys; see docs/stylegan2.md");
  config.conditional =
      in.get("conditional", config.conditional, "condition both networks on the data's labels");
  config.blueprint = std::make_shared<StyleganBlueprint>(read_networks(in, config));
}

void initialize_stylegan2(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  for (const auto& [name, tensor] : named_state(module)) {
    const bool is_drawn =
        name.ends_with("weight") || name.ends_with("b4.const") || name.ends_with("noise_const");
    if (!is_drawn) continue;
    const bool is_mapping_layer = name.find("mapping.fc") != std::string::npos;
    draw_normal(tensor, seed, std::string(network) + "." + name, 0, is_mapping_layer ? 100 : 1);
  }
}

std::shared_ptr<Generator> StyleganBlueprint::generator(const BuildContext& in) const {
  auto network = std::make_shared<StyleganGenerator>(networks(in));
  initialize_stylegan2(*network, "generator", in.seed);
  return network;
}

std::shared_ptr<Discriminator> StyleganBlueprint::discriminator(const BuildContext& in) const {
  auto network = std::make_shared<StyleganDiscriminator>(networks(in));
  initialize_stylegan2(*network, "discriminator", in.seed);
  return network;
}

int StyleganBlueprint::statistics_color(std::int64_t batch, const comm::Group& world) const {
  if (config_.stddev_features == 0) return 0;
  const int world_size = world.size();
  const auto ranks_of = [&](int ranks) {
    return ranks_of_a_group(config_.stddev_group, batch / world_size, ranks);
  };
  if (config_.stddev_groups == StddevGroups::kLocal) {
    ranks_of(1);  // throws where a rank's batch has no whole groups
    return 0;
  }
  return world.rank() % (world_size / ranks_of(world_size));
}

int StyleganBlueprint::lowest_low_precision_resolution() const {
  return std::max(8, 2 * (config_.resolution >> config_.low_precision_resolutions));
}

NetworkConfig StyleganBlueprint::networks(const BuildContext& in) const {
  NetworkConfig c = config_;
  c.resolution = in.image.resolution;
  c.channels = in.image.channels;
  c.label_count = in.label_count;
  c.low_precision_type = in.low_precision_type;
  const bool shares = c.stddev_groups == StddevGroups::kExact;
  c.stddev_ranks = shares ? in.statistics_group : nullptr;
  return c;
}

}  // namespace ganscale::models::stylegan2
