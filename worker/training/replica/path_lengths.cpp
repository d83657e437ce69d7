#include "training/replica/path_lengths.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

#include "comm/collectives/differentiable_all_reduce.h"
#include "comm/collectives/numbers.h"

namespace ganscale::training {

void take_restored(comm::Group& ranks, PathLengthMean& mean) {
  if (!mean.value.defined()) return;
  const at::Tensor restored = std::exchange(mean.restored, {});
  std::int64_t count = restored.defined() ? restored.numel() : 0;
  comm::broadcast_from_rank_0(ranks, {&count});
  if (count == 0) return;
  const at::Tensor all = at::empty({count}, mean.value.options());
  if (ranks.rank() == 0) all.copy_(restored);
  ranks.broadcast(all, 0);
  const bool is_own = mean.group == nullptr && count == ranks.size();
  mean.value.copy_(is_own ? all.select(0, ranks.rank()) : all.mean());
}

void add_means_of_ranks(comm::Group& ranks, const PathLengthMean& mean,
                        std::map<std::string, NamedTensors>& state) {
  if (!mean.value.defined() || mean.group != nullptr || ranks.size() == 1) return;
  state[kRegularizationOfRanks] = {{kPathLengthMean, ranks.all_gather(mean.value)}};
}

PathCount path_count(std::int64_t batch, std::int64_t batch_shrink, int rank, int ranks) {
  const auto in_all = std::max<std::int64_t>(1, batch / batch_shrink);
  return {std::max<std::int64_t>(0, (in_all - rank + ranks - 1) / ranks), in_all, ranks};
}

at::Tensor mean_length(const at::Tensor& lengths, const PathCount& count,
                       const PathLengthMean& mean) {
  if (mean.group != nullptr) {
    return comm::differentiable_all_reduce(*mean.group, lengths.sum())
        .div(static_cast<double>(count.in_all));
  }
  return count.here > 0 ? lengths.mean() : mean.value.clone();
}

}  // namespace ganscale::training
