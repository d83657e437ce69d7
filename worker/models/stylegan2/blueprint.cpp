#include "models/stylegan2/blueprint.h"

#include <array>

#include "models/layers/initial_weights.h"
#include "models/stylegan/discriminator.h"
#include "models/stylegan/initial_weights.h"
#include "models/stylegan2/generator.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan2 {
namespace {

constexpr std::array<std::string_view, 9> kKeysOfWeights = {
    "resolution",  "z_dim",         "w_dim",       "mapping_layers", "channel_base",
    "channel_max", "discriminator", "mbstd_group", "mbstd_features"};

}  // namespace

const PublicWeights kPublicWeights = {.kind = "stylegan2_weights", .keys = kKeysOfWeights};

void read(config::Section& in, ModelConfig& config) {
  in.get("preset", "none", "defaults of the other keys; see docs/stylegan2.md");
  config.conditional =
      in.get("conditional", config.conditional, "condition both networks on the data's labels");
  config.blueprint = std::make_shared<StyleganBlueprint>(read_networks(in, config));
}

void initialize_generator(torch::nn::Module& module, std::uint64_t seed) {
  stylegan::initialize_weights(module, "generator", seed);
  for (const auto& [name, tensor] : named_state(module)) {
    if (!name.ends_with("b4.const") && !name.ends_with("noise_const")) continue;
    draw_normal(tensor, seed, "generator." + name, 0, 1);
  }
}

std::shared_ptr<Generator> StyleganBlueprint::generator(const BuildContext& in) const {
  auto network = std::make_shared<StyleganGenerator>(networks(in));
  initialize_generator(*network, in.seed);
  return network;
}

std::shared_ptr<Discriminator> StyleganBlueprint::discriminator(const BuildContext& in) const {
  auto network = std::make_shared<stylegan::StyleganDiscriminator>(networks(in));
  stylegan::initialize_weights(*network, "discriminator", in.seed);
  return network;
}

int StyleganBlueprint::statistics_color(std::int64_t batch, const comm::Group& world) const {
  return stylegan::stddev_color(config_, batch, world);
}

int StyleganBlueprint::lowest_low_precision_resolution() const {
  return config_.lowest_low_precision_resolution();
}

NetworkConfig StyleganBlueprint::networks(const BuildContext& in) const {
  NetworkConfig c = config_;
  c.resolution = in.image.resolution;
  c.channels = in.image.channels;
  c.label_count = in.label_count;
  c.low_precision_type = in.low_precision_type;
  const bool shares = c.stddev_groups == stylegan::StddevGroups::kExact;
  c.stddev_ranks = shares ? in.statistics_group : nullptr;
  return c;
}

}  // namespace ganscale::models::stylegan2
