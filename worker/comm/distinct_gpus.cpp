#include "comm/distinct_gpus.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/joined.h"

namespace ganscale::comm {

void require_distinct_gpus(Group& host, const device::GpuId& gpu) {
  const auto size = static_cast<std::int64_t>(gpu.size());
  const at::Tensor own = at::empty({size}, at::kByte);
  std::ranges::copy(gpu, own.mutable_data_ptr<std::uint8_t>());
  const at::Tensor all = host.all_gather(own);  // [ranks, bytes of an id]
  std::map<device::GpuId, std::vector<std::string>> ranks;
  for (int rank = 0; rank < host.size(); ++rank) {
    device::GpuId id{};
    std::copy_n(all.const_data_ptr<std::uint8_t>() + rank * size, size, id.begin());
    ranks[id].push_back(std::to_string(rank));
  }
  for (const auto& [id, sharing] : ranks) {
    if (sharing.size() == 1) continue;
    throw ConfigError(
        "several ranks have the same GPU, which NCCL refuses: start one rank per GPU, and show "
        "each "
        "rank its own (CUDA_VISIBLE_DEVICES) or all: ranks " +
        joined(sharing));
  }
}

}  // namespace ganscale::comm
