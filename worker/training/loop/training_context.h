#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "comm/group/group.h"
#include "control/server.h"
#include "device/select_device.h"
#include "telemetry/instruments.h"
#include "training/evaluation/evaluator.h"
#include "training/loop/stop_signal.h"
#include "training/replica/resume.h"
#include "training/run/dataset.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// What a training is given, from the session down to the reporter. All of it is borrowed.
struct TrainingContext {
  const RunConfig& config;
  RunFolder folder;
  const Dataset& dataset;
  device::NetworkDevices devices;
  comm::Group& group;  ///< the ranks that train this together; what they agree on are CPU tensors
  const StopSignal& stop;
  telemetry::Instruments& instruments;
  control::Server* server = nullptr;  ///< on the run's rank 0, if there is a control port
  Evaluator* evaluator = nullptr;     ///< if metrics are measured while training
  double spent_seconds = 0;           ///< if the caller knows of more than the checkpoint
  int device_count = 1;               ///< of all ranks
  nlohmann::ordered_json start = {};  ///< see describe_start(); checkpoints carry it
  std::optional<wire::Preflight> preflight = {};  ///< for the status, if there was one
  /// Logs the error that is being handled. Null: that can wait until this rank has ended.
  std::function<void()> log_failure = {};

  /// Returns what the run resumes from, or begins with.
  ResumeFrom resume_from() const {
    return {.folder = folder,
            .facts = dataset.facts,
            .weights = config.training.resume_weights,
            .resolved = config.resolved};
  }
};

}  // namespace ganscale::training
