#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/section.h"

namespace ganscale::data {
class Source;
}

namespace ganscale::training {

struct RunConfig;
struct TrainingContext;

/// A way for the ranks of a run to work together, with what it read of the section `scheme`.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Returns whether its generator takes labels even if its model takes none.
  virtual bool makes_labels() const { return false; }
  /// Returns the labels that it trains; empty: all of the data.
  virtual std::vector<std::int64_t> made_labels() const { return {}; }
  /// Returns whether its ranks act on the commands that the control port takes. If not, the
  /// port takes only stop, which acts as a signal does.
  virtual bool takes_commands() const { return true; }
  /// Returns how many ranks a process without others runs, each on a thread.
  virtual int ranks_of_lone_process() const { return 1; }
  /// Returns for each network, or for both, how many ranks share its batch.
  virtual std::vector<int> ranks_of_networks(int world_size) const = 0;

  /// Checks what the other sections say under this scheme; root: of the whole configuration.
  /// Throws ConfigError with file, line and key.
  virtual void check_sections(const config::Section& root, const RunConfig& config) const = 0;
  /// Checks what depends on the number of processes. Throws ConfigError.
  virtual void check_ranks(const RunConfig& config, int world_size) const = 0;
  /// Checks what only the data show, after check_ranks(). Throws ConfigError.
  virtual void check_data(const RunConfig& /*config*/, const data::Source& /*source*/,
                          int /*world_size*/) const {}

  /// Builds what `run` would use, and stops.
  virtual void try_run(const TrainingContext& context) const = 0;
  /// Trains. Every rank calls it; returns the program's exit code.
  virtual ExitCode run(const TrainingContext& context) const = 0;
};

/// A line of the table of schemes.
struct SchemeLine {
  std::string name;
  std::string description;  ///< one line, for the documentation of scheme.name
  /// Reads the keys of this scheme only. The keys of all schemes are read, whichever is chosen.
  std::shared_ptr<const Scheme> (*read)(config::Section& in);
};

using SchemeTable = std::span<const SchemeLine>;

/// The section `scheme`.
struct SchemeConfig {
  std::string name;
  std::shared_ptr<const Scheme> chosen;
};

}  // namespace ganscale::training
