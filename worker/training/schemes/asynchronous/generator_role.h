#pragma once

#include "training/schemes/asynchronous/role_trainer.h"

namespace ganscale::training {

/// A rank of the asynchronous scheme that trains the generator, through snapshots of the
/// discriminator, and makes the fakes for the discriminator's ranks.
class GeneratorRole : public RoleTrainer {
 public:
  GeneratorRole(const RoleParts& parts, StepInputs& inputs, const Progress& progress);

  StepResult step(Progress& progress) override;
  /// Takes the latest snapshot, so that nothing is on its way.
  void reconcile(Progress& progress) override;
  /// With the means of path lengths that each of these ranks has.
  std::map<std::string, NamedTensors> gather_state() override;

 private:
  void receive_snapshots_to(std::int64_t version);
  std::int64_t max_staleness_now() const;
  RoleStep take_snapshot(std::int64_t latest);
  void average_returning_buffers();
  /// Adds to an input what the last snapshot has of pairs.
  void add_pairs(StepInput& input) const;
  void send_fakes(const StepInput& input, std::int64_t step);

  const std::int64_t first_step_;  ///< of this process
  std::int64_t version_;           ///< of the snapshot: the steps of the discriminator before it
};

}  // namespace ganscale::training
