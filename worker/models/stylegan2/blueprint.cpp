#include "models/stylegan2/blueprint.h"

#include <array>

#include "models/layers/initial_weights.h"
#include "models/stylegan/discriminator.h"
#include "models/stylegan/initial_weights.h"
#include "models/stylegan2/generator.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan2 {
namespace {

constexpr std::array<std::string_view, 11> kKeysOfWeights = {
    "resolution",  "z_dim",         "w_dim",       "mapping_layers", "channel_base",
    "channel_max", "discriminator", "mbstd_group", "mbstd_features", "low_precision_resolutions",
    "conv_clamp"};

class StyleganBlueprint : public BlueprintOf<NetworkConfig> {
 public:
  using BlueprintOf::BlueprintOf;

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<StyleganGenerator>(networks(in));
    if (in.seed) initialize_generator(*network, *in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<stylegan::StyleganDiscriminator>(networks(in));
    if (in.seed) stylegan::initialize_weights(*network, "discriminator", *in.seed);
    return network;
  }

  int lowest_low_precision_resolution() const override {
    return config().lowest_low_precision_resolution();
  }

  int statistics_color(std::int64_t batch, const comm::Group& world) const override {
    return stylegan::stddev_color(config(), batch, world);
  }

  NetworkConfig networks(const BuildContext& in) const override {
    NetworkConfig c = config();
    stylegan::set_context(c, in);
    return c;
  }
};

}  // namespace

const PublicWeights kPublicWeights = {.kind = "stylegan2_weights", .keys = kKeysOfWeights};

void read(config::Section& in, ModelConfig& config) {
  config.blueprint = std::make_shared<StyleganBlueprint>(read_networks(in, config));
}

void initialize_generator(torch::nn::Module& module, std::uint64_t seed) {
  stylegan::initialize_weights(module, "generator", seed);
  for (const auto& [name, tensor] : named_state(module)) {
    if (!name.ends_with("b4.const") && !name.ends_with("noise_const")) continue;
    draw_normal(tensor, seed, "generator." + name, 0, 1);
  }
}

}  // namespace ganscale::models::stylegan2
