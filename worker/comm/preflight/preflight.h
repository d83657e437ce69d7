#pragma once

#include <c10/core/Device.h>

#include "comm/group/group.h"
#include "comm/preflight/verdict.h"

namespace ganscale::comm {

/// Measures the all-reduce of all ranks, reads what each node has, and compares both with what is
/// required. If the whole is below the floor, it also measures pairs of neighbors, to find out
/// which node is slow. Takes seconds. All ranks call it, and each gets the same result.
///
/// group:   all ranks, as the training will use it. device: of this rank's tensors.
/// own:     what this rank requires; rank 0's counts, as a node's environment may require more.
/// Returns: the result, which rank 0 has printed as a table and as a line of JSON that begins with
///          wire::kPreflight.
wire::Preflight run_preflight(Group& group, c10::Device device, const FabricRequirements& own);

}  // namespace ganscale::comm
