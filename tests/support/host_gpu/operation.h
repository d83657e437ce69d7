#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace ganscale::host_gpu {

enum class Kind { kAllReduce, kBroadcast, kAllGather, kSend, kReceive };

/// What one rank calls.
struct Operation {
  Kind kind;
  const void* from;
  void* to;
  std::size_t count;
  ncclDataType_t type;
  int detail = 0;  ///< the reduction, the root or the peer

  std::string_view name() const;
  bool is_message() const { return kind == Kind::kSend || kind == Kind::kReceive; }
  std::size_t bytes() const;
  bool agrees_with(const Operation& other) const;
  std::string described() const;
};

/// Gives an operation of a rank to a stream.
ncclResult_t start(ncclComm_t comm, cudaStream_t stream, const Operation& operation);

}  // namespace ganscale::host_gpu
