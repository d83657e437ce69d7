#pragma once

#include <string>
#include <vector>

#include "comm/group.h"

namespace ganscale::comm {

/// What every back end promises: `body` runs on every rank of a group of any size and holds the
/// expectations.
struct GroupClaim {
  std::string name;
  void (*body)(Group&);
};

/// Returns the claims that threads, MPI and NCCL groups are tested with.
const std::vector<GroupClaim>& group_claims();

}  // namespace ganscale::comm
