#include "comm/collectives/differentiable_all_reduce.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

namespace ganscale::comm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& data, Group* group) {
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    at::Tensor result = data.clone(at::MemoryFormat::Contiguous);
    group->all_reduce_sum(result);
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    auto* group = reinterpret_cast<Group*>(context->saved_data["group"].toInt());
    return {apply(gradients[0], group), at::Tensor()};
  }
};

}  // namespace

at::Tensor differentiable_all_reduce(Group& group, const at::Tensor& data) {
  if (group.size() == 1) return data;
  return SumOverRanks::apply(data, &group);
}

}  // namespace ganscale::comm
