#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "training/loop/training_context.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// A way for the ranks of a run to work together: a line of the table.
struct Scheme {
  SchemeKeys keys;
  /// Whether what it makes takes labels even where its model takes none.
  bool makes_labels = false;
  /// A process without others runs so many ranks, each on a thread.
  int ranks_of_lone_process = 1;
  /// Checks what the number of processes tells. Throws ConfigError.
  void (*check_ranks)(const RunConfig& config, int world_size);
  /// Checks what only the data tell, after check_ranks(). Throws ConfigError.
  void (*check_data)(const RunConfig& config, const data::Source& source, int world_size);
  /// Returns for each network, or for both, how many ranks share its batch.
  std::vector<int> (*ranks_of_networks)(const RunConfig& config, int world_size);
  /// Builds what `run` would use, and stops.
  void (*try_run)(const TrainingContext& context);
  /// Trains. Every rank calls it; returns the program's exit code.
  ExitCode (*run)(const TrainingContext& context);
};

/// Throws ConfigError for two devices a process: a rank exchanges all through one.
void require_one_device(const config::Section& root, const RunConfig& config);

using SchemeTable = std::span<const Scheme>;

/// Throws ConfigError where the table has no such scheme.
const Scheme& find_scheme(SchemeTable table, std::string_view name);

/// Returns what parse_run() must know of the schemes.
std::vector<SchemeKeys> scheme_keys(SchemeTable table);

}  // namespace ganscale::training
