#pragma once

#include "comm/collectives/bucketed_gradients.h"
#include "training/loop/trainer.h"
#include "training/phases/build_phases.h"
#include "training/phases/phase_losses.h"
#include "training/phases/step_inputs.h"
#include "training/schemes/asynchronous/role_links.h"

namespace ganscale::training {

/// What a rank of the asynchronous scheme works with. All of it is borrowed.
struct RoleParts {
  const RunConfig& config;
  const wire::RolePlan& plan;
  Replica& replica;
  RoleLinks& links;
  comm::Group& world;
  std::int64_t max_staleness;
};

/// What the ranks of both roles have in common.
class RoleTrainer : public Trainer {
 public:
  std::vector<std::string> phase_names() const override { return names_of(phases_); }
  std::vector<std::string> statistic_names() const override { return statistics_of(phases_); }
  Readings readings() const override;
  /// At an agreement the faster role waits for the slower one's last step.
  std::int64_t steps_between_agreements() const override;
  /// Counts the steps that skipped an update on ranks of either role.
  void reconcile(Progress& progress) override;
  std::map<std::string, NamedTensors> gather_state() override;
  models::Generator& averaged_generator() override;
  std::vector<OtherAverage> other_averages() override;

 protected:
  /// network: that this rank trains; progress: where it begins.
  RoleTrainer(const RoleParts& parts, StepInputs& inputs, const torch::nn::Module& network,
              const Progress& progress);

  std::int64_t batch_of_rank() const {
    return parts_.config.training.batch / parts_.links.ranks().size();
  }
  /// Returns what the generator's loss depends on: the discriminator and its augmentation.
  NamedTensors snapshot_state() const;
  /// Returns the buffers that the generator's phase moves and that return to the discriminator:
  /// none unless it waits meanwhile.
  NamedTensors returning_buffers() const;
  void average_over_ranks(const NamedTensors& statistics);
  /// Returns the rows of a batch of all ranks of this rank's role that are this rank's.
  at::Tensor rows_of_rank(const at::Tensor& batch) const;

  const RoleParts parts_;
  StepInputs& inputs_;
  const PhaseLosses losses_;
  /// Of a loss of pairs: the "logits" [batch] of the reals of the discriminator's last step, by its
  /// weights after that step, and their "labels", if the model takes them; else empty.
  const NamedTensors pairs_;
  comm::BucketedGradients gradients_;
  std::vector<Phase> phases_;  ///< of this rank's network
  SkippedUpdates skipped_;
  std::int64_t step_;  ///< the next one
};

}  // namespace ganscale::training
