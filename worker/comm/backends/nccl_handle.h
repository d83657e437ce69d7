#pragma once

#include <nccl.h>

#include "base/handle.h"

namespace ganscale::comm {

/// Destroying the handle aborts the communicator: after an error a peer may be gone, and
/// ncclCommDestroy could wait for it forever. Normal shutdown is Group::finish(), on all ranks.
struct NcclCommTraits {
  using Raw = ncclComm_t;
  static Raw null() noexcept { return nullptr; }
  static void close(Raw comm) noexcept { ncclCommAbort(comm); }
};
using NcclComm = Handle<NcclCommTraits>;

}  // namespace ganscale::comm
