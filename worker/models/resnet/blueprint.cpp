#include "models/resnet/blueprint.h"

#include "models/convolutional_config.h"
#include "models/initial_weights.h"
#include "models/resnet/networks.h"

namespace ganscale::models {
namespace {

class ResnetBlueprint : public Blueprint {
 public:
  explicit ResnetBlueprint(const ConvolutionalConfig& config) : config_(config) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<ResnetGenerator>(
        in.image, config_.z_dim, in.label_count,
        BatchNormOptions{config_.batch_norm, in.statistics_group});
    initialize_he(*network, "generator", in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<ResnetCritic>(in.image, in.label_count);
    if (config_.spectral_norm) normalize_spectra(*network);
    initialize_he(*network, "discriminator", in.seed);
    return network;
  }

 private:
  ConvolutionalConfig config_;
};

}  // namespace

void read_wgan_resnet(config::Section& in, ModelConfig& config) {
  in.require(config.resolution == 32, "resolution",
             config.name + " supports 32, not " + std::to_string(config.resolution));
  config.blueprint = std::make_shared<ResnetBlueprint>(read_convolutional(in));
}

}  // namespace ganscale::models
