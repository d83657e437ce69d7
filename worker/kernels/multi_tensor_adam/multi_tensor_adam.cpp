#include "kernels/multi_tensor_adam/multi_tensor_adam.h"

#include "base/error.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

void* memory_of(const at::Tensor& tensor, const at::Tensor& parameter) {
  check(tensor.scalar_type() == parameter.scalar_type() && tensor.device() == parameter.device() &&
            tensor.sizes() == parameter.sizes() && tensor.strides() == parameter.strides(),
        "multi_tensor_adam takes tensors that lie in memory as their parameter does");
  return tensor.mutable_data_ptr();
}

AdamArrays arrays_of(const AdamTensors& tensors, std::size_t i) {
  const at::Tensor& parameter = tensors.parameters[i];
  const at::Tensor& step = tensors.steps[i];
  check(parameter.scalar_type() == tensors.parameters[0].scalar_type() &&
            parameter.device() == tensors.parameters[0].device() &&
            parameter.is_non_overlapping_and_dense(),
        "multi_tensor_adam takes dense parameters of one dtype and device");
  check(step.scalar_type() == at::kFloat && step.device() == parameter.device(),
        "multi_tensor_adam takes steps in float32 beside the parameters");
  return {.parameter = parameter.mutable_data_ptr(),
          .gradient = memory_of(tensors.gradients[i], parameter),
          .first_moment = memory_of(tensors.first_moments[i], parameter),
          .second_moment = memory_of(tensors.second_moments[i], parameter),
          .average = tensors.averages.empty() ? nullptr : memory_of(tensors.averages[i], parameter),
          .step = step.const_data_ptr<float>(),
          .element_count = parameter.numel()};
}

}  // namespace

void multi_tensor_adam(const AdamTensors& tensors, const AdamRule& rule, double average_beta) {
  const std::size_t count = tensors.parameters.size();
  check(tensors.gradients.size() == count && tensors.first_moments.size() == count &&
            tensors.second_moments.size() == count && tensors.steps.size() == count &&
            (tensors.averages.empty() || tensors.averages.size() == count),
        "multi_tensor_adam takes as many tensors of each kind");
  if (count == 0) return;
  std::vector<AdamArrays> arrays;
  arrays.reserve(count);
  for (std::size_t i = 0; i < count; ++i) arrays.push_back(arrays_of(tensors, i));
  const at::Tensor& first = tensors.parameters[0];
  const AdamTask task{scalar_type_of(first.scalar_type()), rule, average_beta};
  if (first.is_cpu()) {
    multi_tensor_adam_reference(arrays, task);
  } else {
    with_cuda_stream(first, [&](void* stream) { multi_tensor_adam_kernel(arrays, task, stream); });
  }
}

}  // namespace ganscale::kernels
