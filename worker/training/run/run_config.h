#pragma once

#include <string>
#include <vector>

#include "augment/augment_config.h"
#include "checkpoint/checkpoint_config.h"
#include "comm/comm_config.h"
#include "config/section.h"
#include "control/telemetry_config.h"
#include "data/loader/data_config.h"
#include "losses/loss_config.h"
#include "metrics/evaluate_config.h"
#include "models/build_model.h"
#include "optim/build_optimizer.h"
#include "optim/ema.h"
#include "training/phases/phase_losses.h"
#include "training/run/training_config.h"

namespace ganscale::training {

struct GeneratorConfig {
  optim::OptimizerConfig optimizer;
  optim::EmaConfig ema;
  PathLengthOptions path_length;
};

struct DiscriminatorConfig {
  optim::OptimizerConfig optimizer;
  std::vector<std::string> freeze;   ///< parameters that begin with one of these are not trained
  config::Location freeze_location;  ///< for errors that only the network's names can show
  R1Options r1;
};

/// The word for the scheme of a generator per label; see per_label.h.
inline constexpr const char* kPerLabel = "per_label";

/// How the ranks work together.
struct SchemeConfig {
  std::string name = "synchronous";  ///< or per_label
  int attempts = 2;                  ///< per_label: how often a label is tried
};

/// Limits of a run, over all restarts.
struct BudgetConfig {
  double wall_seconds = 0;  ///< 0: no limit
  double gpu_hours = 0;     ///< in all ranks together; 0: no limit

  /// Returns the time limit of each rank for `device_count` devices in all ranks; 0: none.
  double seconds(int device_count) const;
};

/// The configuration of a run. Each folder owns its section.
struct RunConfig {
  models::ModelConfig model;
  data::DataConfig data;
  SchemeConfig scheme;
  TrainingConfig training;
  BudgetConfig budget;
  losses::LossConfig loss;
  GeneratorConfig generator;
  DiscriminatorConfig discriminator;
  augment::AugmentConfig augment;
  metrics::EvaluateConfig evaluate;
  checkpoint::CheckpointConfig checkpoint;
  control::TelemetryConfig telemetry;
  comm::CommConfig comm;
  config::Location batch_location;  ///< of training.batch: the world size is known later
  std::string resolved;             ///< all keys with values, as YAML
};

/// Parses a configuration strictly. Throws ConfigError with file, line and key.
RunConfig parse_run(config::Node root);
RunConfig parse_run(config::Section in);

/// Checks what depends on the world size. Throws ConfigError with the key.
void require_fits_world(const RunConfig& config, int world_size);

}  // namespace ganscale::training
