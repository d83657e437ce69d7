#pragma once

#include <cstdint>
#include <map>
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
#include "optim/ema.h"
#include "optim/network_policy.h"
#include "report/mlflow/mlflow_config.h"
#include "training/run/scheme.h"
#include "training/run/training_config.h"

namespace ganscale::training {

struct GeneratorConfig {
  optim::NetworkPolicy policy;
  optim::EmaConfig ema;
  losses::PathLengthOptions path_length;
  double orthogonality_weight = 0;  ///< of orthogonal regularization; 0: none
};

/// Whether the reals and the fakes pass through D in one batch.
enum class JoinedBatches {
  kAuto,  ///< as models::BatchJoining says
  kYes,
  kNo,
};

struct DiscriminatorConfig {
  optim::NetworkPolicy policy;
  JoinedBatches joined_batches = JoinedBatches::kAuto;
  config::Location joined_batches_location;  ///< for errors that only the network can show
  std::vector<std::string> freeze;   ///< parameters that begin with one of these are not trained
  config::Location freeze_location;  ///< for errors that only the network's names can show
  losses::PenaltyOptions penalties;
  /// Parameters that begin with one of these are left alone by lazy penalties.
  std::vector<std::string> unpenalized;
  config::Location unpenalized_location;  ///< as freeze_location
};

/// Limits of a run, over all restarts.
struct BudgetConfig {
  double wall_seconds = 0;  ///< 0: no limit
  double gpu_hours = 0;     ///< in all ranks together; 0: no limit

  /// Returns the time limit of each rank for `device_count` devices in all ranks; 0: none.
  double seconds(int device_count) const;

  /// Returns how long a run may still train on so many devices, after so many seconds, and seconds
  /// summed over the devices of each attempt; infinite without a limit.
  double seconds_left(double used_seconds, double used_device_seconds, int device_count) const;
};

/// A window of steps that is measured, and with which the run ends.
struct MeasureConfig {
  std::int64_t warmup_steps = 0;  ///< before it
  std::int64_t steps = 0;         ///< 0: no window
};

/// A window of steps whose operators are recorded, see docs/operations.md.
struct ProfileConfig {
  std::int64_t warmup_steps = 10;  ///< before it
  std::int64_t steps = 0;          ///< 0: no window
  config::Location location = {};  ///< of profile.steps: the world size is known later
};

/// The configuration of a run. Each folder owns its section.
struct RunConfig {
  models::ModelConfig model;
  data::DataConfig data;
  SchemeConfig scheme;  ///< empty, and none chosen, if nothing is trained
  TrainingConfig training;
  BudgetConfig budget;
  MeasureConfig measure;
  ProfileConfig profile;
  losses::LossConfig loss;
  GeneratorConfig generator;
  DiscriminatorConfig discriminator;
  augment::AugmentConfig augment;
  metrics::EvaluateConfig evaluate;
  checkpoint::CheckpointConfig checkpoint;
  control::TelemetryConfig telemetry;
  report::MlflowConfig mlflow;
  comm::CommConfig comm;
  std::string resolved;  ///< all keys with values, as YAML
};

/// Returns the values of all schedules but the learning rates' and the augmentation's p after
/// `images_seen` images, by name: generator_beta2, discriminator_beta2, r1_gamma, r2_gamma and
/// ema_kimg, each if a schedule moves it.
std::map<std::string, double> scheduled_values(const RunConfig& config, std::int64_t images_seen);

}  // namespace ganscale::training
