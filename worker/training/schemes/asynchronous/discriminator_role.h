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
  /// Scores the reals of a step for the generator's ranks, by the weights after it.
  void score_pairs(const StepInput& input);
  void adapt_and_publish(std::int64_t step);

  ImageBuffer buffer_;
};

}  // namespace ganscale::training
