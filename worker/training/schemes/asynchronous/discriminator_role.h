#pragma once

#include "training/schemes/asynchronous/role_trainer.h"

namespace ganscale::training {

/// A rank of the asynchronous scheme that trains the discriminator, on reals and on the fakes of
/// the generator's ranks, and sends these its snapshots.
class DiscriminatorRole : public RoleTrainer {
 public:
  DiscriminatorRole(const RoleParts& parts, StepInputs& inputs, const Progress& progress);

  StepResult step(Progress& progress) override;

 private:
  /// Takes in all fakes that have arrived, and waits for the fakes of this step.
  FakeBatch take_fakes();
  /// Scores the reals of a step with the weights after it, for the generator's ranks. With
  /// staleness 0, only in steps that train the generator, and D's buffers move as in Gmain's own
  /// pass. Otherwise after every step, and the buffers are put back.
  void score_pairs(const StepInput& input, std::int64_t step);
  /// Scores the reals and gathers the scores of all ranks of the discriminator.
  void gather_pairs(const StepInput& input);
  void adapt_and_publish(std::int64_t step);

  ImageBuffer buffer_;
};

}  // namespace ganscale::training
