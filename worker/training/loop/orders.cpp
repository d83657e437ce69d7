#include "training/loop/orders.h"

#include <ATen/ops/tensor.h>

namespace ganscale::training {

Orders agree(comm::Group& group, const Orders& wishes) {
  if (group.size() == 1) return wishes;
  const at::Tensor flags = at::tensor({std::int64_t{wishes.stop}, std::int64_t{wishes.finish},
                                       std::int64_t{wishes.spent}, std::int64_t{wishes.checkpoint},
                                       std::int64_t{wishes.pause}, std::int64_t{wishes.fail}});
  group.max(flags);
  const auto* order = flags.const_data_ptr<std::int64_t>();
  return {order[0] != 0, order[1] != 0, order[2] != 0, order[3] != 0, order[4] != 0, order[5] != 0};
}

}  // namespace ganscale::training
