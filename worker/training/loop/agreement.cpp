#include "training/loop/agreement.h"

#include <ATen/ops/tensor.h>

namespace ganscale::training {

Orders agree(comm::Group& group, const Orders& requests) {
  if (group.size() == 1) return requests;
  const at::Tensor flags =
      at::tensor({std::int64_t{requests.stop}, std::int64_t{requests.finish},
                  std::int64_t{requests.spent}, std::int64_t{requests.checkpoint},
                  std::int64_t{requests.pause}, std::int64_t{requests.fail}});
  group.all_reduce_max(flags);
  const auto* order = flags.const_data_ptr<std::int64_t>();
  return {order[0] != 0, order[1] != 0, order[2] != 0, order[3] != 0, order[4] != 0, order[5] != 0};
}

}  // namespace ganscale::training
