#pragma once

#include "base/error.h"
#include "comm/group.h"
#include "control/server.h"
#include "device/select_device.h"
#include "telemetry/instruments.h"
#include "training/evaluation/evaluator.h"
#include "training/loop/budget.h"
#include "training/loop/stop_signal.h"
#include "training/phases/dataset.h"
#include "training/run/progress.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// What a training needs besides the networks, which it makes itself. All of it is borrowed.
struct TrainingParts {
  const RunConfig& config;
  RunFolder folder;
  const Dataset& dataset;
  device::NetworkDevices devices;
  comm::Group& group;  ///< the ranks that train this together
  const StopSignal& stop;
  telemetry::Instruments& instruments;
  control::Server* server = nullptr;  ///< on the run's rank 0, where there is a control port
  Evaluator* evaluator = nullptr;     ///< where metrics are measured while training
  double budget_seconds = 0;          ///< over all restarts; 0: none
  double spent_seconds = 0;           ///< of it, where the caller knows of more than the checkpoint
};

/// How a training ended, and how far it came.
struct TrainingResult {
  ExitCode code = ExitCode::kOk;
  Progress progress;
};

/// Builds what a training would use and reads its first batch's plan, then stops. Throws what
/// train() would throw before its first step.
void try_training(const RunConfig& config, const RunFolder& folder, const Dataset& dataset,
                  const device::NetworkDevices& devices, comm::Group& group);

/// Trains one generator and discriminator in one run folder, from its newest valid checkpoint on.
/// Every rank of the group calls it.
TrainingResult train(const TrainingParts& parts);

}  // namespace ganscale::training
