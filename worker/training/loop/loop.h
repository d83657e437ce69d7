#pragma once

#include <functional>

#include "base/error.h"
#include "checkpoint/writer.h"
#include "comm/group.h"
#include "control/server.h"
#include "data/loader/prefetcher.h"
#include "training/evaluation/evaluator.h"
#include "training/loop/budget.h"
#include "training/loop/reporter.h"
#include "training/loop/sample_grids.h"
#include "training/loop/scheme.h"
#include "training/loop/stop_signal.h"
#include "training/phases/run_snapshot.h"

namespace ganscale::training {

/// What a run is made of on one rank. The loop borrows all of it.
struct LoopParts {
  const RunConfig& config;
  const RunFacts& facts;
  at::Device device;     ///< of the discriminator: the real images go there
  comm::Group& control;  ///< the world, for orders: CPU tensors
  data::Prefetcher& batches;
  Replica& replica;
  Scheme& scheme;
  Reporter& reporter;
  const SampleGrids& grids;
  const StopSignal& stop;
  Budget budget;
  Evaluator* evaluator = nullptr;        ///< where the run measures metrics
  checkpoint::Writer* writer = nullptr;  ///< rank 0 only
  control::Server* server = nullptr;     ///< rank 0 only, where there is a control port
};

/// Trains until the run's length is reached or a signal, a command, its budget or an error ends it.
///
/// A checkpoint is written before the generator is measured at the same moment.
///
/// Returns: kOk when done or told to stop by a command, kStopped after a signal; both after a
/// checkpoint. Throws:  DataError, PeerLost, ConfigError (the run diverged), ... ; the last good
/// checkpoint stays.
ExitCode run_loop(LoopParts& parts, Progress& progress);

}  // namespace ganscale::training
