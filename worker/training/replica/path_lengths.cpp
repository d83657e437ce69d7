#include "training/replica/path_lengths.h"

#include <algorithm>

#include "comm/collectives/differentiable_all_reduce.h"

namespace ganscale::training {

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
