#pragma once

#include "checkpoint/snapshot.h"
#include "training/replica/replica.h"
#include "training/run/progress.h"
#include "training/run/run_facts.h"

namespace ganscale::training {

/// Returns a snapshot of that state, tensors by checkpoint file; they are not copied.
checkpoint::Snapshot make_snapshot(std::map<std::string, NamedTensors> state, const RunFacts& facts,
                                   const Progress& progress);

/// Returns "file: tensor" of the first tensor with NaN or infinity, or an empty string.
std::string first_nonfinite(const checkpoint::Snapshot& snapshot);

/// Returns the facts of a checkpoint. Throws DataError if they are missing.
RunFacts facts_of(const checkpoint::Snapshot& snapshot);

/// Throws ConfigError if a label had another name when the run began. Labels are numbered by the
/// order of their names, so the images of this number may be other ones. Does nothing if the label
/// had no name, or has none now.
void require_same_name(std::int64_t label, const std::string& before, const std::string& now);

/// Restores the replica from a checkpoint and returns the progress.
/// Throws ConfigError if it is of another model or other data; DataError if tensors are missing.
Progress restore(Replica& replica, const RunFacts& facts, const checkpoint::Snapshot& snapshot);

}  // namespace ganscale::training
