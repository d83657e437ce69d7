#include "kernels/multi_tensor_adam/multi_tensor_adam.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/launch/count_change.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

void check_parameter(const AdamTensors& tensors, std::size_t i) {
  const at::Tensor& parameter = tensors.parameters[i];
  const at::Tensor& step = tensors.steps[i];
  check(parameter.scalar_type() == tensors.parameters[0].scalar_type() &&
            parameter.device() == tensors.parameters[0].device() &&
            parameter.is_non_overlapping_and_dense(),
        "multi_tensor_adam takes dense parameters of one dtype and device");
  check(step.scalar_type() == at::kFloat && step.device() == parameter.device(),
        "multi_tensor_adam takes steps in float32 on the device of the parameters");
  for (const Tensors* list :
       {&tensors.gradients, &tensors.first_moments, &tensors.second_moments, &tensors.averages}) {
    if (list->empty()) continue;
    const at::Tensor& tensor = (*list)[i];
    check(tensor.scalar_type() == parameter.scalar_type() &&
              tensor.device() == parameter.device() && tensor.sizes() == parameter.sizes() &&
              tensor.strides() == parameter.strides(),
          "multi_tensor_adam takes tensors that lie in memory as their parameter does");
  }
}

/// Returns the memory of the parameters from `begin` to `end`.
std::vector<AdamArrays> arrays_of(const AdamTensors& tensors, std::size_t begin, std::size_t end) {
  std::vector<AdamArrays> arrays;
  arrays.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    arrays.push_back(
        {.parameter = tensors.parameters[i].mutable_data_ptr(),
         .gradient = tensors.gradients[i].const_data_ptr(),
         .first_moment = tensors.first_moments[i].mutable_data_ptr(),
         .second_moment = tensors.second_moments[i].mutable_data_ptr(),
         .average = tensors.averages.empty() ? nullptr : tensors.averages[i].mutable_data_ptr(),
         .step = tensors.steps[i].const_data_ptr<float>(),
         .element_count = tensors.parameters[i].numel()});
  }
  return arrays;
}

/// Returns these lists' entries from `begin` to `end`.
Tensors joined(const std::vector<const Tensors*>& lists, std::size_t begin, std::size_t end) {
  Tensors all;
  for (const Tensors* list : lists) {
    if (!list->empty()) all.insert(all.end(), list->begin() + begin, list->begin() + end);
  }
  return all;
}

void check_all(const AdamTensors& tensors) {
  const std::size_t count = tensors.parameters.size();
  check(tensors.gradients.size() == count && tensors.first_moments.size() == count &&
            tensors.second_moments.size() == count && tensors.steps.size() == count &&
            (tensors.averages.empty() || tensors.averages.size() == count),
        "multi_tensor_adam takes as many tensors of each kind");
  check(!tensors.skip.defined() || tensors.skip.scalar_type() == at::kFloat,
        "multi_tensor_adam takes a float32 that says whether to skip");
  for (std::size_t i = 0; i < count; ++i) check_parameter(tensors, i);
}

}  // namespace

void multi_tensor_adam(const AdamTensors& tensors, const AdamRule& rule, double average_beta) {
  const std::size_t count = tensors.parameters.size();
  check_all(tensors);
  if (count == 0) return;
  count_change(tensors.parameters);
  count_change(tensors.averages);
  const at::Tensor& first = tensors.parameters[0];
  const auto task = [&] {
    return AdamTask{scalar_type_of(first.scalar_type()), rule, average_beta,
                    tensors.skip.defined() ? tensors.skip.const_data_ptr<float>() : nullptr};
  };
  if (!takes_kernels(first)) {
    return multi_tensor_adam_reference(arrays_of(tensors, 0, count), task());
  }
  for (std::size_t begin = 0; begin < count; begin += kMostAdamArrays) {
    const std::size_t end = std::min(begin + kMostAdamArrays, count);
    const Tensors updated = joined(
        {&tensors.parameters, &tensors.first_moments, &tensors.second_moments, &tensors.averages},
        begin, end);
    Tensors read = joined({&tensors.gradients, &tensors.steps}, begin, end);
    if (tensors.skip.defined()) read.push_back(tensors.skip);
    read.insert(read.end(), updated.begin(), updated.end());
    launch_on_device("ganscale::multi_tensor_adam", {read, updated}, [&](void* stream) {
      multi_tensor_adam_kernel(arrays_of(tensors, begin, end), task(), stream);
    });
  }
}

}  // namespace ganscale::kernels
