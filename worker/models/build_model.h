#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "comm/group.h"
#include "config/section.h"
#include "models/layers/batch_norm.h"
#include "models/model.h"

namespace ganscale::models {

/// Which networks to build.
struct ModelConfig {
  std::string name = "dcgan";  ///< dcgan or conditional_dcgan
  int resolution = 32;
  int channels = 3;  ///< of the data set, not of the configuration: 1 or 3
  int z_dim = 100;
  BatchNormMode batch_norm = BatchNormMode::kLocal;
  int label_count = 0;  ///< of the data set, not of the configuration; 0: no labels
};

/// Reads `model`; channels and label count are the data's, the caller fills them in. Throws
/// ConfigError.
ModelConfig parse_model(config::Section in);

/// Whether the model of this name takes labels. Throws ConfigError if there is no such model.
bool is_conditional(const std::string& name);

struct Networks {
  std::shared_ptr<Generator> generator;
  std::shared_ptr<Discriminator> discriminator;
};

/// Returns both networks on the CPU in float32 and training mode, with their first weights, which
/// depend on seed and parameter names alone.
///
/// norm_group: the ranks of a synchronised batch norm, a group of its own (see
///             comm/differentiable_sum.h) that outlives the networks; nullptr: this rank is alone.
/// Throws:     ConfigError for a conditional model of data without labels.
Networks build_networks(const ModelConfig& config, std::uint64_t seed, comm::Group* norm_group);

/// Returns the generator alone, as build_networks does.
std::shared_ptr<Generator> build_generator(const ModelConfig& config, std::uint64_t seed,
                                           comm::Group* norm_group);

}  // namespace ganscale::models
