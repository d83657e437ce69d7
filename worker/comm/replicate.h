#pragma once

#include <cstdint>

#include "comm/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::comm {

/// Gives every rank the tensors of rank 0, in flat chunks of at most `chunk_bytes` (a larger tensor
/// has its own): all state of a replica at the start and after a resume.
///
/// state: the same names, shapes and dtypes on every rank, of any dtype and layout; written in
/// place.
void broadcast_from_rank_0(Group& group, const NamedTensors& state, std::int64_t chunk_bytes);

/// Replaces the floating-point tensors by their means over the ranks, in flat chunks; others, such
/// as the counters of batch norm, are left alone. For small state that ranks gather apart, such as
/// the running statistics of batch norm before a checkpoint.
void all_reduce_mean(Group& group, const NamedTensors& state, std::int64_t chunk_bytes);

}  // namespace ganscale::comm
