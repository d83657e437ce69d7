#pragma once

#include "comm/group.h"
#include "training/loop/scheme.h"
#include "training/phases/graph_recorder.h"
#include "training/phases/replica.h"

namespace ganscale::training {

/// All ranks run the same phases on their parts of the global batch and average all gradients
/// (Loppi & Kynkäänniemi 2021).
class Synchronous : public Scheme {
 public:
  /// Broadcasts the replica's state from rank 0, so that all ranks begin alike.
  Synchronous(const RunConfig& config, Replica& replica, comm::Group& group);
  ~Synchronous() override;

  std::vector<std::string> phase_names() const override;
  StepResult step(const StepInput& input, const Progress& progress) override;

 private:
  /// Returns the last phase that trains the network in this step; null if none does.
  const Phase* last_due(std::int64_t step, const torch::nn::Module& network) const;

  const RunConfig& config_;
  Replica& replica_;
  comm::Group& group_;
  std::unique_ptr<comm::BucketedGradients> generator_gradients_;
  std::unique_ptr<comm::BucketedGradients> discriminator_gradients_;
  std::vector<Phase> phases_;
  std::unique_ptr<GraphRecorder> recorder_;  ///< with training.cuda_graphs
};

}  // namespace ganscale::training
