#pragma once

#include <string>
#include <vector>

#include "comm/group/group.h"

namespace ganscale::comm {

/// What every backend guarantees: `body` runs on every rank of a group of any size and holds the
/// expectations.
struct GroupClaim {
  std::string name;
  void (*body)(Group&);
};

/// Returns what thread, MPI and NCCL groups guarantee for each operation.
std::vector<GroupClaim> operation_claims();
/// Returns what the layers above a group guarantee: buckets, replication, the differentiable sum.
std::vector<GroupClaim> gradient_claims();
/// Returns both.
std::vector<GroupClaim> group_claims();

}  // namespace ganscale::comm
