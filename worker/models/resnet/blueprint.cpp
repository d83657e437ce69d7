#include "models/resnet/blueprint.h"

#include "base/joined.h"
#include "models/layers/convolutional_config.h"
#include "models/layers/initial_weights.h"
#include "models/resnet/networks.h"

namespace ganscale::models {
namespace {

using resnet::LabelEntry;
using resnet::ResnetCritic;
using resnet::ResnetGenerator;
using resnet::Table;

class ResnetBlueprint : public Blueprint {
 public:
  ResnetBlueprint(const ConvolutionalConfig& config, const Table& table, LabelEntry label_entry)
      : config_(config), table_(scaled(table, config.channels)), label_entry_(label_entry) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<ResnetGenerator>(
        in.image.channels, table_,
        ResnetGenerator::Options{config_.z_dim, in.label_count, label_entry_, config_.label_dim,
                                 BatchNormOptions{config_.batch_norm, in.statistics_group},
                                 in.low_precision_type});
    if (in.seed) initialize_he(*network, "generator", *in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<ResnetCritic>(
        in.image.channels, table_,
        ResnetCritic::Options{config_.scores_labels ? in.label_count : 0, config_.spectral_norm,
                              in.low_precision_type});
    if (config_.spectral_norm) normalize_spectra(*network);
    if (in.seed) initialize_he(*network, "discriminator", *in.seed);
    return network;
  }

  int lowest_low_precision_resolution() const override { return resnet::kFirstSize; }

 private:
  ConvolutionalConfig config_;
  Table table_;
  LabelEntry label_entry_;
};

/// Returns the table for the resolution. Throws ConfigError at its key.
const Table& find_sngan_table(config::Section& in, const ModelConfig& config) {
  std::vector<std::string> resolutions;
  for (const Table& table : resnet::sngan_tables()) {
    if (table.resolution == config.resolution) return table;
    resolutions.push_back(std::to_string(table.resolution));
  }
  in.fail("resolution", config.name + " supports " + joined(resolutions) + ", not " +
                            short_text_of(config.resolution));
}

}  // namespace

void read_wgan_resnet(config::Section& in, ModelConfig& config) {
  const Table& small = resnet::small_table();
  const bool is_small = config.resolution == small.resolution;
  const Table& table = is_small ? small : find_sngan_table(in, config);
  ConvolutionalConfig keys = read_convolutional(in, config.traits);
  read_label_dim(in, config.traits, keys);
  config.blueprint = std::make_shared<ResnetBlueprint>(keys, table, LabelEntry::kLatent);
}

void read_sngan(config::Section& in, ModelConfig& config) {
  const Table& table = find_sngan_table(in, config);
  const ConvolutionalConfig keys =
      read_convolutional(in, config.traits, {.z_dim = 128, .spectral_norm = true});
  config.blueprint = std::make_shared<ResnetBlueprint>(keys, table, LabelEntry::kNorms);
}

}  // namespace ganscale::models
