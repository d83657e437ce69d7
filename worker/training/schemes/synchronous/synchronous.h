#pragma once

#include "comm/group/group.h"
#include "training/loop/trainer.h"
#include "training/phases/graph_recorder.h"
#include "training/phases/step_inputs.h"
#include "training/replica/replica.h"

namespace ganscale::training {

/// All ranks run the same phases on their parts of the global batch and average all gradients
/// (Loppi & Kynkäänniemi 2021).
class Synchronous : public Trainer {
 public:
  /// Broadcasts the replica's state from rank 0, so that all ranks begin alike, except for the
  /// means that a checkpoint has of each rank. All is borrowed.
  Synchronous(const RunConfig& config, Replica& replica, StepInputs& inputs, comm::Group& group);
  ~Synchronous() override;

  /// The phases of a step, in their order.
  std::vector<Phase>& phases() { return phases_; }

  std::vector<std::string> phase_names() const override;
  std::vector<std::string> statistic_names() const override;
  StepResult step(Progress& progress) override;
  Readings readings() const override;
  std::int64_t steps_between_agreements() const override;
  std::map<std::string, NamedTensors> gather_state() override;
  models::Generator& averaged_generator() override;
  std::vector<OtherAverage> other_averages() override;

 private:
  void average_moving_statistics();
  /// Gives an average of all ranks the statistics of rank 0's, which checkpoints have, until the
  /// next step.
  void share_statistics(models::Generator& average);

  const RunConfig& config_;
  Replica& replica_;
  StepInputs& inputs_;
  comm::Group& group_;
  std::unique_ptr<comm::BucketedGradients> generator_gradients_;
  std::unique_ptr<comm::BucketedGradients> discriminator_gradients_;
  std::vector<Phase> phases_;
  SkippedUpdates skipped_;
  std::unique_ptr<GraphRecorder> recorder_;  ///< with training.cuda_graphs
};

}  // namespace ganscale::training
