#include "models/stylegan3/blueprint.h"

#include <array>

#include "models/stylegan/discriminator.h"
#include "models/stylegan/initial_weights.h"
#include "models/stylegan3/generator.h"

namespace ganscale::models::stylegan3 {
namespace {

constexpr std::array<std::string_view, 23> kKeysOfWeights = {"resolution",
                                                             "z_dim",
                                                             "w_dim",
                                                             "mapping_layers",
                                                             "magnitude_beta",
                                                             "output_scale",
                                                             "kernel",
                                                             "radial_filters",
                                                             "filter_taps",
                                                             "activation_rate",
                                                             "layers",
                                                             "critical_layers",
                                                             "first_cutoff",
                                                             "first_stopband",
                                                             "last_stopband",
                                                             "margin",
                                                             "generator_channel_base",
                                                             "generator_channel_max",
                                                             "channel_base",
                                                             "channel_max",
                                                             "mbstd_group",
                                                             "mbstd_features",
                                                             "conv_clamp"};

class StyleganBlueprint : public BlueprintOf<NetworkConfig> {
 public:
  using BlueprintOf::BlueprintOf;

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<StyleganGenerator>(networks(in));
    if (in.seed) stylegan::initialize_weights(*network, "generator", *in.seed);
    if (in.seed) network->initialize_input(*in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<stylegan::StyleganDiscriminator>(networks(in).discriminator);
    if (in.seed) stylegan::initialize_weights(*network, "discriminator", *in.seed);
    return network;
  }

  int lowest_low_precision_resolution() const override {
    return config().discriminator.lowest_low_precision_resolution();
  }

  /// All ranks share the magnitudes of the generator's layers.
  int statistics_color(std::int64_t batch, const comm::Group& world) const override {
    // Throws if groups are impossible.
    stylegan::stddev_color(config().discriminator, batch, world);
    return 0;
  }

  NetworkConfig networks(const BuildContext& in) const override {
    NetworkConfig c = config();
    c.synthesis.resolution = in.image.resolution;
    c.synthesis.image_channels = in.image.channels;
    c.label_count = in.label_count;
    c.low_precision_type = in.low_precision_type;
    c.ranks = in.statistics_group;
    stylegan::set_context(c.discriminator, in);
    return c;
  }
};

}  // namespace

const PublicWeights kPublicWeights = {.kind = "stylegan3_weights", .keys = kKeysOfWeights};

void read(config::Section& in, ModelConfig& config) {
  config.blueprint = std::make_shared<StyleganBlueprint>(read_networks(in, config));
}

}  // namespace ganscale::models::stylegan3
