#pragma once

#include <nccl.h>

#include <cstddef>

namespace ganscale::host_gpu {

std::size_t size_bytes(ncclDataType_t type);

/// Replaces each element of `into` by its sum with `from`'s, or by the larger of the two.
/// Returns false for a type that ncclAllReduce() does not take here.
bool combine(void* into, const void* from, std::size_t count, ncclDataType_t type,
             ncclRedOp_t operation);

}  // namespace ganscale::host_gpu
