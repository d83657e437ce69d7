#pragma once

#include <utility>

#include "training/loop/training_context.h"
#include "training/run/scheme.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// What the scheme reads of the section `scheme`.
struct AsynchronousOptions {
  wire::RoleRatio ratio;
  std::int64_t max_staleness = 1;  ///< steps
  std::int64_t buffer_limit_bytes = std::int64_t{1} << 30;
  config::Location ratio_location;  ///< of scheme.ratio: the world size is known later
  config::Location buffer_limit_location;
};

/// Trains generator and discriminator at the same time, on ranks of their own (Shi, Li & You 2024,
/// "ParaGAN"): the discriminator takes fakes of a bounded buffer that the generator fills, the
/// generator takes its gradient through a snapshot of the discriminator. docs/paragan.md has the
/// protocol.
class AsynchronousScheme : public Scheme {
 public:
  explicit AsynchronousScheme(AsynchronousOptions options) : options_(std::move(options)) {}

  int ranks_of_lone_process() const override { return wire::role_ranks(1); }
  std::vector<int> ranks_of_networks(int world_size) const override;
  void check_sections(const config::Section& root, const RunConfig& config) const override;
  void check_ranks(const RunConfig& config, int world_size) const override;
  void try_run(const TrainingContext& context) const override;
  /// Returns: as run_loop().
  ExitCode run(const TrainingContext& context) const override;

 private:
  AsynchronousOptions options_;
};

/// Returns the line of the scheme.
SchemeLine asynchronous_scheme();

}  // namespace ganscale::training
