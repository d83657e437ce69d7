#pragma once

#include <string>
#include <vector>

#include "augment/augment_config.h"
#include "checkpoint/checkpoint_config.h"
#include "comm/comm_config.h"
#include "config/section.h"
#include "control/telemetry_config.h"
#include "data/data_config.h"
#include "models/build_model.h"
#include "optim/build_optimizer.h"
#include "optim/ema.h"
#include "training/phase_losses.h"
#include "training/training_config.h"

namespace ganscale::training {

struct GeneratorConfig {
  optim::OptimizerConfig optimizer;
  optim::EmaConfig ema;
  PathLengthOptions path_length;
};

struct DiscriminatorConfig {
  optim::OptimizerConfig optimizer;
  std::vector<std::string> freeze;  ///< parameters that begin with one of these are not trained
  R1Options r1;
};

/// A whole run: what `ganscale train` reads. Each folder owns its part.
struct RunConfig {
  models::ModelConfig model;
  data::DataConfig data;
  std::string scheme;
  TrainingConfig training;
  GeneratorConfig generator;
  DiscriminatorConfig discriminator;
  augment::AugmentConfig augment;
  checkpoint::CheckpointConfig checkpoint;
  control::TelemetryConfig telemetry;
  comm::CommConfig comm;
  std::string resolved;  ///< all keys with their values, as YAML
};

/// Reads a configuration strictly. Throws ConfigError with file, line and key.
RunConfig parse_run(config::Node root);
RunConfig parse_run(config::Section in);

/// Checks what only the size of the world can tell. Throws ConfigError at the key.
void require_fits_world(const RunConfig& config, int world_size);

}  // namespace ganscale::training
