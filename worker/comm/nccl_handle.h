#pragma once

#include <nccl.h>

#include "base/handle.h"

namespace ganscale::comm {

/// Dropping a communicator aborts it: while unwinding, a peer may be gone and ncclCommDestroy could
/// wait for it forever. The orderly way out is Group::finish(), which every rank calls.
struct NcclCommTraits {
  using Raw = ncclComm_t;
  static Raw null() noexcept { return nullptr; }
  static void close(Raw comm) noexcept { ncclCommAbort(comm); }
};
using NcclComm = Handle<NcclCommTraits>;

}  // namespace ganscale::comm
