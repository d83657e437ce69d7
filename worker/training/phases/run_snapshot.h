#pragma once

#include "checkpoint/snapshot.h"
#include "training/phases/replica.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// Facts about a run that do not change, stored in every checkpoint. The shapes of the networks
/// depend on them, and a run can't resume with other data.
struct RunFacts {
  std::string model;
  std::int64_t record_count = 0;
  int label_count = 0;
  int channels = 3;
  /// p(y), the frequency of each label in the data; empty without labels. Stored separately in
  /// checkpoints, since imported weights have none.
  std::vector<double> label_probabilities{};

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(RunFacts, model, record_count, label_count, channels)
};

/// Returns the state of a run, with live tensors, not copies.
checkpoint::Snapshot make_snapshot(Replica& replica, const RunFacts& facts,
                                   const Progress& progress);

/// Returns "file: tensor" of the first tensor with NaN or infinity, or an empty string.
std::string first_nonfinite(const checkpoint::Snapshot& snapshot);

/// Returns the facts of a checkpoint. Throws DataError if they are missing.
RunFacts facts_of(const checkpoint::Snapshot& snapshot);

/// Restores the replica from a checkpoint and returns the progress.
/// Throws ConfigError if it is of another model or other data; DataError if tensors are missing.
Progress restore(Replica& replica, const RunFacts& facts, const checkpoint::Snapshot& snapshot);

}  // namespace ganscale::training
