#include "models/r3gan/blueprint.h"

#include <ATen/core/grad_mode.h>

#include <array>
#include <cmath>
#include <string>

#include "models/layers/initial_weights.h"
#include "models/r3gan/networks.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::r3gan {

constexpr std::array<std::string_view, 8> kKeysOfWeights = {
    "resolution", "z_dim",     "widths",    "cardinality",
    "blocks",     "expansion", "label_dim", "score_label_dim"};
const PublicWeights kPublicWeights = {.kind = "r3gan_weights", .keys = kKeysOfWeights};

namespace {

/// Returns the standard deviation of a weight's first values, of a network with so many blocks.
double first_deviation(const std::string& name, const at::Tensor& weight, std::int64_t blocks) {
  const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
  if (name.ends_with(".Basis")) return 1;                          // of G
  if (name.find(".LinearLayer3.") != std::string::npos) return 0;  // a block begins as the identity
  const bool is_inside = name.find(".LinearLayer1.") != std::string::npos ||
                         name.find(".LinearLayer2.") != std::string::npos;
  // The gain of a leaky ReLU of slope 0.2, and Fixup's for three layers a block.
  const double gain =
      is_inside ? std::sqrt(2 / 1.04) * std::pow(static_cast<double>(blocks), -0.25) : 1;
  return gain / std::sqrt(inputs);
}

/// Initializes an R3GAN: normal weights, a normal basis in G, and zero biases.
///
/// Papers: Huang et al. 2024, arXiv:2501.05441, Section 4; Zhang et al. 2019, arXiv:1901.09321
///         (Fixup); the numbers follow the public implementation.
void initialize(torch::nn::Module& module, const NetworkConfig& config, std::string_view network,
                std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : named_parameters(module)) {
    if (name.ends_with(".Bias")) continue;  // zero, as constructed
    double deviation = first_deviation(name, parameter, config.block_count());
    // Of a score, the sum of products with this one.
    const bool is_of_scores = network == "discriminator" && name == "Model.EmbeddingLayer.weight";
    if (is_of_scores) deviation = 1 / std::sqrt(static_cast<double>(parameter.numel()));
    draw_normal(parameter, seed, std::string(network) + "." + name, 0, deviation);
  }
}

class R3ganBlueprint : public BlueprintOf<NetworkConfig> {
 public:
  using BlueprintOf::BlueprintOf;

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<R3ganGenerator>(networks(in));
    if (in.seed) initialize(*network, config(), "generator", *in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<R3ganDiscriminator>(networks(in));
    if (in.seed) initialize(*network, config(), "discriminator", *in.seed);
    return network;
  }

  int lowest_low_precision_resolution() const override {
    return 2 * (config().resolution.shorter_side() >> config().low_precision_resolutions);
  }

  NetworkConfig networks(const BuildContext& in) const override {
    NetworkConfig c = config();
    c.channels = in.image.channels;
    c.label_count = in.label_count;
    c.low_precision_type = in.low_precision_type;
    return c;
  }
};

}  // namespace

void read(config::Section& in, ModelConfig& config) {
  config.blueprint = std::make_shared<R3ganBlueprint>(read_networks(in, config));
}

}  // namespace ganscale::models::r3gan
