#include "models/build_model.h"

#include <algorithm>

#include "base/error.h"

namespace ganscale::models {
namespace {

BuildContext context_of(const ModelConfig& config, std::optional<std::uint64_t> seed,
                        comm::Group* statistics_group) {
  check(config.blueprint != nullptr, "the section `model` was read");
  const bool takes = takes_labels(config);
  if (takes && config.label_count == 0) {
    throw ConfigError(
        "model.name: " + config.name +
        " needs labels, but the dataset has none: use a model without labels, or labeled data");
  }
  return {.image = {config.channels, config.resolution},
          .label_count = takes ? config.label_count : 0,
          .low_precision_type = config.low_precision_type,
          .keeps_activations = config.keeps_activations,
          .seed = seed,
          .statistics_group = statistics_group};
}

/// Reads the keys of all models that have presets, or networks with and without labels.
void read_shared_keys(config::Section& in, ModelConfig& c) {
  if (!c.traits.presets_page.empty()) {
    in.get("preset", "none",
           "defaults of the other keys; see " + std::string(c.traits.presets_page));
  }
  if (c.traits.labels == Labels::kOptional) {
    c.conditional =
        in.get("conditional", c.conditional, "condition both networks on the data's labels");
  }
}

}  // namespace

ModelConfig parse_model(config::Section in, ModelTable models,
                        std::optional<at::ScalarType> low_precision_type) {
  std::vector<std::string> names;
  for (const Model& model : models) names.emplace_back(model.name);
  ModelConfig c;
  c.name = in.get_choice("name", names.front(), names, "architecture of the two networks");
  c.resolution = in.get_resolution("resolution", c.resolution,
                                   "pixels of a side of the images, or [height, width]");
  const Model& model = *std::ranges::find(models, c.name, &Model::name);
  c.traits = model.traits;
  c.low_precision_type = low_precision_type;
  read_shared_keys(in, c);
  model.read(in, c);
  in.reject_unread_keys();
  return c;
}

bool takes_labels(const ModelConfig& config) {
  const Labels labels = config.traits.labels;
  return labels == Labels::kNeeded || (labels == Labels::kOptional && config.conditional);
}

Networks build_networks(const ModelConfig& config, std::optional<std::uint64_t> seed,
                        comm::Group* statistics_group) {
  const BuildContext context = context_of(config, seed, statistics_group);
  Networks networks{config.blueprint->generator(context), config.blueprint->discriminator(context)};
  set_layout(*networks.generator, config.layout);
  set_layout(*networks.discriminator, config.layout);
  return networks;
}

std::shared_ptr<Generator> build_generator(const ModelConfig& config,
                                           std::optional<std::uint64_t> seed,
                                           comm::Group* statistics_group) {
  auto generator = config.blueprint->generator(context_of(config, seed, statistics_group));
  set_layout(*generator, config.layout);
  return generator;
}

}  // namespace ganscale::models
