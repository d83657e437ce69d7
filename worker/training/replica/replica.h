#pragma once

#include <memory>
#include <optional>
#include <string>

#include "augment/augmentation.h"
#include "checkpoint/snapshot.h"
#include "device/select_device.h"
#include "models/build_model.h"
#include "optim/optimizer/optimizer.h"
#include "training/replica/generator_average.h"
#include "training/replica/path_lengths.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The checkpoint file of the augmentation, which exists if the augmentation has a state.
inline constexpr const char* kAugmentation = "augmentation";

/// Whether a tensor of a network is a filter, which follows from the configuration: StyleGAN3's
/// depend on its keys and on the resolution of the network, even where their shape does not.
inline bool is_filter(const std::string& name) { return name.ends_with("_filter"); }

/// Separate groups, which must outlive the replica (see comm/collectives/differentiable_all_reduce.h); null for
/// a single rank.
struct ReplicaGroups {
  comm::Group* statistics = nullptr;   ///< of models::Blueprint::statistics_color()
  comm::Group* path_length = nullptr;  ///< all ranks; null if each keeps its own mean
};

/// One rank's copy of everything that training changes: both networks, the moving average of the
/// generator, both optimizers and the augmentation. In a synchronous run the replicas of all ranks
/// are identical after each step.
class Replica {
 public:
  /// Builds the networks from the seed and moves them to their devices: the average to the
  /// generator's, the augmentation to the discriminator's.
  Replica(const RunConfig& config, const device::NetworkDevices& devices,
          const ReplicaGroups& groups);

  models::Generator& generator() { return *networks_.generator; }
  models::Discriminator& discriminator() { return *networks_.discriminator; }
  GeneratorAverage& average() { return *average_; }
  models::Generator& generator_ema() { return average_->generator(); }
  optim::Optimizer& generator_optimizer() { return *generator_optimizer_; }
  optim::Optimizer& discriminator_optimizer() { return *discriminator_optimizer_; }
  augment::Augmentation& augmentation() { return augmentation_; }

  const device::NetworkDevices& devices() const { return devices_; }
  PathLengthMean& path_length_mean() { return path_length_mean_; }

  /// Returns all state, by checkpoint file: live tensors, not copies.
  std::map<std::string, NamedTensors> state();
  /// Throws DataError with file and tensor if the snapshot is of another model, or of a StyleGAN3
  /// with other filters.
  void restore(const checkpoint::Snapshot& snapshot);

 private:
  device::NetworkDevices devices_;
  models::Networks networks_;
  std::optional<GeneratorAverage> average_;
  std::unique_ptr<optim::Optimizer> generator_optimizer_;
  std::unique_ptr<optim::Optimizer> discriminator_optimizer_;
  augment::Augmentation augmentation_;
  PathLengthMean path_length_mean_;
};

/// Groups for communication in networks and losses, separate from the gradients' group.
class NetworkGroups {
 public:
  /// group: the ranks that share a batch; each calls it.
  NetworkGroups(const RunConfig& config, comm::Group& group);

  ReplicaGroups borrowed() const { return {statistics_.get(), path_length_.get()}; }
  void finish();

 private:
  std::unique_ptr<comm::Group> statistics_;
  std::unique_ptr<comm::Group> path_length_;
};

}  // namespace ganscale::training
