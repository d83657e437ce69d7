#pragma once

#include <memory>

#include "augment/augmentation.h"
#include "checkpoint/snapshot.h"
#include "models/build_model.h"
#include "optim/build_optimizer.h"
#include "training/progress.h"
#include "training/run_config.h"

namespace ganscale::training {

/// One rank's copy of everything that training changes: both networks, the average of the
/// generator, both optimizers and the augmentation. After every step of a synchronous run the
/// replicas of all ranks are the same.
class Replica {
 public:
  /// Builds the networks from the seed and moves them to the device.
  /// sync_group: the group of a synchronised batch norm, or null.
  Replica(const RunConfig& config, at::Device device, comm::Group* sync_group);

  models::Generator& generator() { return *networks_.generator; }
  models::Discriminator& discriminator() { return *networks_.discriminator; }
  models::Generator& generator_ema() { return *generator_ema_; }
  optim::Optimizer& generator_optimizer() { return *generator_optimizer_; }
  optim::Optimizer& discriminator_optimizer() { return *discriminator_optimizer_; }
  augment::Augmentation& augmentation() { return augmentation_; }

  /// Moves the average of the generator one step: parameters by the factor `beta`, buffers copied.
  void update_average(double beta);

  /// All state by checkpoint file: live tensors, not copies.
  std::map<std::string, NamedTensors> state();
  /// Throws DataError that names file and tensor where the snapshot is of another model.
  void restore(const checkpoint::Snapshot& snapshot);

 private:
  models::Networks networks_;
  std::shared_ptr<models::Generator> generator_ema_;
  std::unique_ptr<optim::Optimizer> generator_optimizer_;
  std::unique_ptr<optim::Optimizer> discriminator_optimizer_;
  augment::Augmentation augmentation_;
};

}  // namespace ganscale::training
