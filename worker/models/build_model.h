#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/contract/model.h"
#include "models/model_table.h"

namespace ganscale::models {

/// Parses the section `model`. The caller sets what the dataset and the device add.
///
/// low_precision_type: float16 or bfloat16 if the run asks for it; the model chooses which layers
///                     compute in it.
/// Throws:             ConfigError.
ModelConfig parse_model(config::Section in, ModelTable models = model_table(),
                        std::optional<at::ScalarType> low_precision_type = std::nullopt);

/// Whether the networks take labels.
bool takes_labels(const ModelConfig& config);

struct Networks {
  std::shared_ptr<Generator> generator;
  std::shared_ptr<Discriminator> discriminator;
};

/// Returns both networks on the CPU in float32 and training mode, with their initial weights, which
/// depend only on seed and parameter names.
///
/// seed:             nullopt: the weights are not drawn, which takes long for large networks.
/// statistics_group: the ranks of Blueprint::statistics_color(), a group of its own (see
///                   comm/collectives/differentiable_all_reduce.h) that outlives the networks; nullptr: this
///                   rank is alone.
/// Throws:           ConfigError for a conditional model of data without labels.
Networks build_networks(const ModelConfig& config, std::optional<std::uint64_t> seed,
                        comm::Group* statistics_group);

/// Returns only the generator, as build_networks does.
std::shared_ptr<Generator> build_generator(const ModelConfig& config,
                                           std::optional<std::uint64_t> seed,
                                           comm::Group* statistics_group);

}  // namespace ganscale::models
