#include "models/dcgan/blueprint.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "models/contract/power_of_two_sides.h"
#include "models/dcgan/networks.h"
#include "models/layers/convolutional_config.h"
#include "models/layers/initial_weights.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

/// Initializes a DC-GAN: convolutions, linear layers and label vectors of D with N(0, 0.02), scales
/// of batch norms with N(1, 0.02), the label embedding of G, which is concatenated with z, with
/// N(0, 1), and biases with zero.
///
/// he: convolutions, linear layers and label vectors with N(0, 2 / fan-in) instead. Without batch
///     statistics, N(0, 0.02) shrinks the signal in each layer: the gradients of a critic would be
///     almost zero until the gradient penalty has made its weights grow.
///
/// Paper:   Radford et al. 2016, arXiv:1511.06434, Section 4 ("zero-centered Normal distribution
///          with standard deviation 0.02"); label vectors are our choice. He et al. 2015,
///          arXiv:1502.01852, Eq. (10), as the code of Gulrajani et al. 2017 for its critics.
void initialize(torch::nn::Module& module, std::string_view network, std::uint64_t seed,
                bool he = false) {
  const at::NoGradGuard no_grad;
  initialize_singular_vectors(module, network, seed);
  for (const auto& [name, parameter] : named_parameters(module)) {
    const std::string full_name = std::string(network) + "." + name;
    if (name.ends_with("bias")) {
      parameter.zero_();
    } else if (name == "label_embedding.weight") {
      draw_normal(parameter, seed, full_name, 0, 1);
    } else if (parameter.dim() == 1) {  // scales of a batch norm
      draw_normal(parameter, seed, full_name, 1, 0.02);
    } else {
      const double inputs = static_cast<double>(parameter.numel() / parameter.size(0));
      draw_normal(parameter, seed, full_name, 0, he ? std::sqrt(2 / inputs) : 0.02);
    }
  }
}

struct DcganConfig : ConvolutionalConfig {
  Dropout dropout = Dropout::kElements;
};

class DcganBlueprint : public Blueprint {
 public:
  /// critic_norm: of the discriminator. A frozen batch norm is a scale and a shift.
  DcganBlueprint(const DcganConfig& config, BatchNormMode critic_norm)
      : config_(config), critic_norm_(critic_norm) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganGenerator>(
        in.image, DcganOptions{.z_dim = config_.z_dim,
                               .label_dim = config_.label_dim,
                               .label_count = in.label_count,
                               .channels = config_.channels,
                               .norm = {config_.batch_norm, in.statistics_group},
                               .low_precision_type = in.low_precision_type});
    if (in.seed) initialize(*network, "generator", *in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganDiscriminator>(
        in.image, DcganOptions{.label_count = config_.scores_labels ? in.label_count : 0,
                               .channels = config_.channels,
                               .dropout = config_.dropout,
                               .norm = {critic_norm_, in.statistics_group},
                               .low_precision_type = in.low_precision_type});
    if (config_.spectral_norm) normalize_spectra(*network);
    if (in.seed)
      initialize(*network, "discriminator", *in.seed, critic_norm_ == BatchNormMode::kFrozen);
    return network;
  }

  int lowest_low_precision_resolution() const override { return kLastSize; }

  bool has_mixing_critic() const override { return critic_norm_ != BatchNormMode::kFrozen; }

 private:
  DcganConfig config_;
  BatchNormMode critic_norm_;
};

DcganConfig read_keys(config::Section& in, const ModelConfig& config) {
  require_sides(in, config.name, config.resolution, {.lowest = 32, .highest = 256});
  DcganConfig keys{read_convolutional(in, config.traits)};
  read_label_dim(in, config.traits, keys);
  const auto dropout =
      in.get_choice("dropout", "elements", {"elements", "channels"},
                    "what the discriminator's dropout sets to zero: single values, "
                    "or whole channels of an image, as the code of Lupo Pasini et "
                    "al.");
  keys.dropout = dropout == "channels" ? Dropout::kChannels : Dropout::kElements;
  return keys;
}

}  // namespace

void read_dcgan(config::Section& in, ModelConfig& config) {
  const auto keys = read_keys(in, config);
  config.blueprint = std::make_shared<DcganBlueprint>(keys, keys.batch_norm);
}

void read_wgan(config::Section& in, ModelConfig& config) {
  config.blueprint =
      std::make_shared<DcganBlueprint>(read_keys(in, config), BatchNormMode::kFrozen);
}

}  // namespace ganscale::models
