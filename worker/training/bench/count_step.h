#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/operation.h"
#include "training/run/run_config.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// What a rank gives to its device in a step in which this phase is due.
struct CountedPhase {
  std::string name = {};  ///< of the phase; "input" and "average" for what frames the phases
  wire::Role network =
      wire::Role::kGenerator;  ///< that it trains; the input is the discriminator's
  std::int64_t interval = 1;   ///< steps from one time it is due to the next
  std::int64_t offset = 0;     ///< of the first step in which it is due
  std::vector<cost::Operation> gradients =
      {};  ///< replayed as a CUDA graph with training.cuda_graphs
  std::vector<cost::Operation> update =
      {};                                   ///< of the network and the statistics; never in a graph
  std::vector<cost::Operation> fakes = {};  ///< Dmain: those of `gradients` that make its fakes
  double peak_bytes = 0;  ///< the most memory at a time, with all that lives between steps
};

/// Returns the operations of each phase of the synchronous scheme on a GPU, by running it once on
/// LibTorch's meta device: the true shapes and types on the path that a GPU takes, but no numbers.
/// A GPU need not be there.
///
/// The moving average belongs to the first phase of the generator. Not in it: copies of the input
/// into the memory of a graph, the adaptation of ADA, and all that happens at ticks. ADA applies
/// augment.p from the configuration.
///
/// config: of the run, with model.channels and model.label_count of the data.
/// ranks:  that share the batch; this is one of them.
/// Throws: ConfigError if they do not divide the batch.
std::vector<CountedPhase> count_step(const RunConfig& config, int ranks);

}  // namespace ganscale::training
