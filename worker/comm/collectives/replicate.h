#pragma once

#include <cstdint>
#include <vector>

#include "comm/group/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::comm {

/// Broadcasts the tensors of rank 0, in flat chunks of at most `chunk_bytes` (a larger tensor has
/// its own): the state of a replica at the start and after a resume.
///
/// state: same names, shapes and dtypes on all ranks, any dtype and layout; written in place.
void broadcast_from_rank_0(Group& group, const NamedTensors& state, std::int64_t chunk_bytes);

/// Replaces floating-point tensors by their means over the ranks, in flat chunks; leaves others,
/// such as the counters of batch norm, alone. For small state that each rank updates on its own,
/// such as the running statistics of batch norm.
void all_reduce_mean(Group& group, const NamedTensors& state, std::int64_t chunk_bytes);

/// Copies the values of all tensors to CPU tensors in flat chunks, which receive_state() takes in
/// this order.
std::vector<at::Tensor> copy_state(const NamedTensors& state, std::int64_t chunk_bytes);

/// Starts to send a copy of the values of all tensors: they may change at once.
void send_state(Group& group, const NamedTensors& state, int destination, std::int64_t chunk_bytes);

/// Replaces the values of all tensors by those that `source` sends of tensors of the same names,
/// shapes and dtypes, with the same `chunk_bytes`.
void receive_state(Group& group, const NamedTensors& state, int source, std::int64_t chunk_bytes);

}  // namespace ganscale::comm
