#pragma once

#include <memory>

#include "training/replica/replica.h"

namespace ganscale::training {

/// Groups for communication in networks and losses, separate from that of the gradients.
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
