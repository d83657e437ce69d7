#include "models/biggan/blueprint.h"

#include "models/biggan/discriminator.h"
#include "models/biggan/generator.h"
#include "models/layers/initial_weights.h"

namespace ganscale::models::biggan {
namespace {

class BigganBlueprint : public Blueprint {
 public:
  explicit BigganBlueprint(const NetworkConfig& config) : config_(config) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<BigganGenerator>(networks(in));
    initialize_biggan(*network, "generator", in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<BigganDiscriminator>(networks(in));
    initialize_biggan(*network, "discriminator", in.seed);
    return network;
  }

  bool has_second_derivatives() const override { return !config_.recomputes; }

  int lowest_low_precision_resolution() const override { return kFirstSize; }

 private:
  NetworkConfig networks(const BuildContext& in) const {
    NetworkConfig c = config_;
    c.channels = in.image.channels;
    c.label_count = in.label_count;
    c.low_precision_type = in.low_precision_type;
    c.recomputes = c.recomputes && !in.keeps_activations;
    c.norm.options.group = in.statistics_group;
    return c;
  }

  NetworkConfig config_;
};

void read_of(Depth depth, config::Section& in, ModelConfig& config) {
  in.get("preset", "none", "defaults of the other keys; see docs/biggan.md");
  config.blueprint = std::make_shared<BigganBlueprint>(read_networks(in, config, depth));
}

}  // namespace

void read(config::Section& in, ModelConfig& config) { read_of(Depth::kPlain, in, config); }

void read_deep(config::Section& in, ModelConfig& config) { read_of(Depth::kDeep, in, config); }

}  // namespace ganscale::models::biggan
