#pragma once

#include <cstdint>

#include "planning/simulation/reliability.h"

namespace ganscale::planning {

/// What the time of a run was spent on, over all its attempts, in seconds.
struct RunTime {
  double trained = 0;        ///< what counts: no failure undid it
  double repeated = 0;       ///< training that a failure undid
  double checkpointing = 0;  ///< training stood still for checkpoints
  double starting = 0;       ///< attempts, from a failure to their first steps
  int failures = 0;

  double total() const { return trained + repeated + checkpointing + starting; }
  double goodput() const { return total() > 0 ? trained / total() : 0; }
};

/// What a run does: so much training, with a checkpoint after every so much of it.
struct PlannedRun {
  double training_seconds = 0;
  double interval_seconds = 0;
  int most_failures = 1000;  ///< after which it ends unfinished, as it might never finish
};

/// Simulates a run until it ends, attempt by attempt. Failures come at exponentially distributed
/// intervals, at any moment, and end the run's attempt; the next one resumes from the latest
/// checkpoint that is valid. As with checkpoint::Writer, one is written at a time, and training waits
/// for the one before.
RunTime simulate_attempts(const PlannedRun& run, const Reliability& reliability,
                          std::uint64_t seed);

}  // namespace ganscale::planning
