#include "comm/distinct_gpus.h"

#include <map>
#include <vector>

#include "base/error.h"
#include "base/joined.h"
#include "comm/collectives/gather_text.h"

namespace ganscale::comm {

void require_distinct_gpus(Group& host, const device::GpuId& gpu) {
  const std::vector<std::string> ids = gather_text(host, std::string(gpu.begin(), gpu.end()));
  std::map<std::string, std::vector<std::string>> ranks;
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    ranks[ids[rank]].push_back(std::to_string(rank));
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
