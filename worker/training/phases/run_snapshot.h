#pragma once

#include "checkpoint/snapshot.h"
#include "training/phases/replica.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// What a run is about: facts that do not change while it lives, kept in every checkpoint. The
/// networks' shape depends on them, and a run can't go on with other data.
struct RunFacts {
  std::string model;
  std::int64_t record_count = 0;
  int label_count = 0;
  int channels = 3;
  /// p(y): how often each label comes in the data; empty without labels. Checkpoints keep it apart,
  /// as those of weights of other programs have none.
  std::vector<double> label_probabilities{};

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(RunFacts, model, record_count, label_count, channels)
};

/// Returns all state of the run; the tensors are live, not copies.
checkpoint::Snapshot make_snapshot(Replica& replica, const RunFacts& facts,
                                   const Progress& progress);

/// Returns "file: tensor" of the first tensor with a NaN or infinity, or nothing: such a state is
/// not worth keeping.
std::string first_nonfinite(const checkpoint::Snapshot& snapshot);

/// Reads the facts of a checkpoint. Throws DataError if they are missing.
RunFacts facts_of(const checkpoint::Snapshot& snapshot);

/// Puts the replica and the progress where the checkpoint left them.
/// Throws ConfigError if it is of another model or other data; DataError if tensors are missing.
Progress restore(Replica& replica, const RunFacts& facts, const checkpoint::Snapshot& snapshot);

}  // namespace ganscale::training
