#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "comm/group.h"
#include "config/section.h"
#include "models/layers/batch_norm.h"
#include "models/model.h"
#include "models/stylegan2/config.h"

namespace ganscale::models {

/// Which networks to build.
struct ModelConfig {
  std::string name = "dcgan";  ///< see the table in build_model.cpp
  int resolution = 32;
  int channels = 3;     ///< of the dataset, not of the configuration: 1 or 3
  int label_count = 0;  ///< of the dataset, not of the configuration; 0: no labels
  int z_dim = 100;      ///< dcgan, conditional_dcgan
  BatchNormMode batch_norm = BatchNormMode::kLocal;  ///< dcgan, conditional_dcgan
  bool spectral_norm = false;                        ///< of the discriminator; not stylegan2
  bool conditional = false;                          ///< stylegan2; the others say it by their name
  stylegan2::NetworkConfig stylegan2 = {};           ///< but for what stands above
};

/// Reads `model`; channels and label count are the data's, the caller fills them in. Throws
/// ConfigError.
ModelConfig parse_model(config::Section in);

/// Whether the model takes labels. Throws ConfigError if there is no such model.
bool takes_labels(const ModelConfig& config);

/// Whether the discriminator has batch norms that mix images, so that what it says of one depends
/// on the others. Throws as takes_labels.
bool has_mixing_critic(const ModelConfig& config);

/// Returns the color that splits the world into the groups of ranks whose images the networks look
/// at together: those of a synchronized batch norm, or of a group of the minibatch standard
/// deviation. Throws ConfigError where they can't be shared out.
int statistics_color(const ModelConfig& config, std::int64_t batch, const comm::Group& world);

struct Networks {
  std::shared_ptr<Generator> generator;
  std::shared_ptr<Discriminator> discriminator;
};

/// Returns both networks on the CPU in float32 and training mode, with their first weights, which
/// depend on seed and parameter names alone.
///
/// statistics_group: the ranks of statistics_color(), a group of its own (see
///                   comm/differentiable_all_reduce.h) that outlives the networks; nullptr: this
///                   rank is alone.
/// Throws:           ConfigError for a conditional model of data without labels.
Networks build_networks(const ModelConfig& config, std::uint64_t seed,
                        comm::Group* statistics_group);

/// Returns the generator alone, as build_networks does.
std::shared_ptr<Generator> build_generator(const ModelConfig& config, std::uint64_t seed,
                                           comm::Group* statistics_group);

}  // namespace ganscale::models
