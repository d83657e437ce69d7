#include "support/host_gpu/combine.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cstdint>

namespace ganscale::host_gpu {
namespace {

template <class T>
bool combine_all(void* into, const void* from, std::size_t count, ncclRedOp_t operation) {
  auto* result = static_cast<T*>(into);
  const auto* others = static_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = operation == ncclMax ? std::max(result[i], others[i])
                                     : static_cast<T>(result[i] + others[i]);
  }
  return true;
}

}  // namespace

std::size_t size_bytes(ncclDataType_t type) {
  switch (type) {
    case ncclUint8: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt64:
    case ncclFloat64: return 8;
    default: return 4;
  }
}

bool combine(void* into, const void* from, std::size_t count, ncclDataType_t type,
             ncclRedOp_t operation) {
  switch (type) {
    case ncclUint8: return combine_all<std::uint8_t>(into, from, count, operation);
    case ncclInt32: return combine_all<std::int32_t>(into, from, count, operation);
    case ncclInt64: return combine_all<std::int64_t>(into, from, count, operation);
    case ncclFloat16: return combine_all<c10::Half>(into, from, count, operation);
    case ncclFloat32: return combine_all<float>(into, from, count, operation);
    case ncclFloat64: return combine_all<double>(into, from, count, operation);
    case ncclBfloat16: return combine_all<c10::BFloat16>(into, from, count, operation);
    default: return false;
  }
}

}  // namespace ganscale::host_gpu
