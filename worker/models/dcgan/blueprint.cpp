#include "models/dcgan/blueprint.h"

#include <algorithm>
#include <array>

#include "models/dcgan/networks.h"
#include "models/layers/convolutional_config.h"
#include "models/layers/initial_weights.h"

namespace ganscale::models {
namespace {

class DcganBlueprint : public Blueprint {
 public:
  /// critic_norm: of the discriminator. A frozen batch norm is a scale and a shift.
  DcganBlueprint(const ConvolutionalConfig& config, BatchNormMode critic_norm)
      : config_(config), critic_norm_(critic_norm) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganGenerator>(
        in.image, config_.z_dim, in.label_count,
        BatchNormOptions{config_.batch_norm, in.statistics_group}, in.low_precision_type);
    initialize_dcgan(*network, "generator", in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganDiscriminator>(
        in.image, in.label_count, BatchNormOptions{critic_norm_, in.statistics_group},
        in.low_precision_type);
    if (config_.spectral_norm) normalize_spectra(*network);
    initialize_dcgan(*network, "discriminator", in.seed);
    return network;
  }

  int lowest_low_precision_resolution() const override { return kLastSize; }

  bool has_mixing_critic() const override { return critic_norm_ != BatchNormMode::kFrozen; }

 private:
  ConvolutionalConfig config_;
  BatchNormMode critic_norm_;
};

ConvolutionalConfig read_keys(config::Section& in, const ModelConfig& config) {
  constexpr std::array kResolutions = {32, 64, 128, 256};
  const auto found = std::ranges::find(kResolutions, config.resolution);
  in.require(
      found != kResolutions.end(), "resolution",
      config.name + " supports 32, 64, 128 and 256, not " + std::to_string(config.resolution));
  return read_convolutional(in);
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
