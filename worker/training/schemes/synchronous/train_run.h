#pragma once

#include "training/loop/training_context.h"
#include "training/run/progress.h"
#include "training/run/scheme.h"

namespace ganscale::training {

/// How a training ended, and how far it came.
struct TrainingResult {
  ExitCode code = ExitCode::kOk;
  Progress progress;
};

/// Logs what is trained, and on which devices.
void log_start(std::string_view title, const TrainingContext& context);

/// Builds what a training would use and reads its first batch, then stops. Throws what
/// train() would throw before its first step.
void try_training(const TrainingContext& context);

/// Trains one generator and discriminator in one run folder, from its newest valid checkpoint on.
/// Every rank of the group calls it.
TrainingResult train(const TrainingContext& context);

/// Returns the scheme in which all ranks train() together.
SchemeLine synchronous_scheme();

}  // namespace ganscale::training
