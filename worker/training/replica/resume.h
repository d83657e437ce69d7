#pragma once

#include "training/replica/replica.h"
#include "training/run/progress.h"
#include "training/run/run_facts.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Where a run resumes, and what it is checked against.
struct ResumeFrom {
  const RunFolder& folder;
  const RunFacts& facts;
  const std::string& weights;  ///< of another run, for a new one to begin with; empty: none
  /// The configuration, to name what has changed if the checkpoint's state does not fit.
  std::string resolved = {};
};

/// Continues from the newest valid checkpoint; a new run begins with the weights of another one if
/// the configuration names it.
///
/// Rank 0 reads, and has the state; all ranks wait for that, however long it takes, and get its
/// progress. Every rank calls it.
/// Throws: as checkpoint::load_checkpoint(), restore() and transfer_weights(); ConfigError if the
///         checkpoint's state does not fit, and the configuration has changed since.
Progress resume(Replica& replica, const ResumeFrom& from, comm::Group& group);

}  // namespace ganscale::training
