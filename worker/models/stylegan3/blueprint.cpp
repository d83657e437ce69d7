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

}  // namespace

const PublicWeights kPublicWeights = {.kind = "stylegan3_weights", .keys = kKeysOfWeights};

void read(config::Section& in, ModelConfig& config) {
  in.get("preset", "none", "defaults of the other keys; see docs/stylegan3.md");
  config.conditional =
      in.get("conditional", config.conditional, "condition both networks on the data's labels");
  config.blueprint = std::make_shared<StyleganBlueprint>(read_networks(in, config));
}

std::shared_ptr<Generator> StyleganBlueprint::generator(const BuildContext& in) const {
  auto network = std::make_shared<StyleganGenerator>(networks(in));
  stylegan::initialize_weights(*network, "generator", in.seed);
  network->initialize_input(in.seed);
  return network;
}

std::shared_ptr<Discriminator> StyleganBlueprint::discriminator(const BuildContext& in) const {
  auto network = std::make_shared<stylegan::StyleganDiscriminator>(networks(in).discriminator);
  stylegan::initialize_weights(*network, "discriminator", in.seed);
  return network;
}

int StyleganBlueprint::statistics_color(std::int64_t batch, const comm::Group& world) const {
  stylegan::stddev_color(config_.discriminator, batch, world);  // throws if groups are impossible
  return 0;
}

int StyleganBlueprint::lowest_low_precision_resolution() const {
  return config_.discriminator.lowest_low_precision_resolution();
}

NetworkConfig StyleganBlueprint::networks(const BuildContext& in) const {
  NetworkConfig c = config_;
  c.synthesis.resolution = in.image.resolution;
  c.synthesis.image_channels = in.image.channels;
  c.label_count = in.label_count;
  c.low_precision_type = in.low_precision_type;
  c.ranks = in.statistics_group;
  stylegan::DiscriminatorConfig& d = c.discriminator;
  d.resolution = in.image.resolution;
  d.channels = in.image.channels;
  d.label_count = in.label_count;
  d.low_precision_type = in.low_precision_type;
  const bool shares = d.stddev_groups == stylegan::StddevGroups::kExact && d.stddev_features > 0;
  d.stddev_ranks = shares ? in.statistics_group : nullptr;
  return c;
}

}  // namespace ganscale::models::stylegan3
