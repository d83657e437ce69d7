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

/// The parts of a run on one rank, all borrowed.
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

/// Trains until the run is done or is ended by a signal, a command, its budget or an error.
///
/// A checkpoint is written before an evaluation at the same time.
///
/// Returns: kOk when done or after the command stop, kStopped after a signal; both after a
///          checkpoint.
/// Throws:  DataError, PeerLost, ConfigError (the run diverged), ...; the last good checkpoint is
///          kept.
ExitCode run_loop(LoopParts& parts, Progress& progress);

}  // namespace ganscale::training
