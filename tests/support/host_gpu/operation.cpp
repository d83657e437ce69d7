#include "support/host_gpu/operation.h"

#include <array>

#include "support/host_gpu/combine.h"

namespace ganscale::host_gpu {

std::string_view Operation::name() const {
  constexpr std::array<std::string_view, 5> kNames{"ncclAllReduce", "ncclBroadcast",
                                                   "ncclAllGather", "ncclSend", "ncclRecv"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::size_t Operation::bytes() const { return count * size_bytes(type); }

bool Operation::agrees_with(const Operation& other) const {
  return kind == other.kind && count == other.count && type == other.type && detail == other.detail;
}

std::string Operation::described() const {
  return std::string(name()) + " of " + std::to_string(count) + " elements of type " +
         std::to_string(type) + " (" + std::to_string(detail) + ")";
}

extern "C" {

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  // #lizard forgives(parameter_count): NCCL's
  return start(comm, stream, {Kind::kAllReduce, from, to, count, type, operation});
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  // #lizard forgives(parameter_count): NCCL's
  return start(comm, stream, {Kind::kBroadcast, from, to, count, type, root});
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  // #lizard forgives(parameter_count): NCCL's
  return start(comm, stream, {Kind::kAllGather, from, to, count, type});
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  // #lizard forgives(parameter_count): NCCL's
  return start(comm, stream, {Kind::kSend, from, nullptr, count, type, peer});
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  // #lizard forgives(parameter_count): NCCL's
  return start(comm, stream, {Kind::kReceive, nullptr, to, count, type, peer});
}

}  // extern "C"

}  // namespace ganscale::host_gpu
