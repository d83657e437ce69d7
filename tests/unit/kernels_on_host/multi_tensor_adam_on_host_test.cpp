#include <vector>

#include "kernels/multi_tensor_adam/fill.h"
#include "support/adam_case.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

/// As many parameters as a launch takes, an empty one and one of several blocks among them.
Shapes many_parameters() {
  Shapes shapes = {{}, {0, 3}, {513}};
  for (std::int64_t i = 1; shapes.size() < kMostAdamArrays; ++i) shapes.push_back({i});
  return shapes;
}

const Shapes kLargeParameter = {{40'000}};  // than its blocks

std::vector<AdamArrays> arrays_of(const AdamTensors& tensors, bool averages) {
  std::vector<AdamArrays> arrays;
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    arrays.push_back({.parameter = tensors.parameters[i].mutable_data_ptr(),
                      .gradient = tensors.gradients[i].const_data_ptr(),
                      .first_moment = tensors.first_moments[i].mutable_data_ptr(),
                      .second_moment = tensors.second_moments[i].mutable_data_ptr(),
                      .average = averages ? tensors.averages[i].mutable_data_ptr() : nullptr,
                      .step = tensors.steps[i].const_data_ptr<float>(),
                      .element_count = tensors.parameters[i].numel()});
  }
  return arrays;
}

class MultiTensorAdamOnHost : public KernelOnHost {
 protected:
  static void expect_as_the_reference(const float* skip);

  static void expect_close(const std::vector<at::Tensor>& kernel,
                           const std::vector<at::Tensor>& reference) {
    KernelOnHost::expect_close(at::cat(flat(kernel)), at::cat(flat(reference)));
  }

 private:
  static std::vector<at::Tensor> flat(std::vector<at::Tensor> tensors) {
    for (at::Tensor& tensor : tensors) tensor = tensor.flatten();
    return tensors;
  }
};

TEST_P(MultiTensorAdamOnHost, MatchesTheReference) { expect_as_the_reference(nullptr); }

TEST_P(MultiTensorAdamOnHost, SkipsAsTheReference) {
  const float no = 0;
  const float yes = 1;
  expect_as_the_reference(&no);
  expect_as_the_reference(&yes);
}

void MultiTensorAdamOnHost::expect_as_the_reference(const float* skip) {
  for (const bool averages : {true, false}) {
    const Shapes shapes = averages ? many_parameters() : kLargeParameter;
    const AdamTask task{.type = GetParam().type,
                        .rule = {.learning_rate = 0.1,
                                 .beta1 = 0.5,
                                 .beta2 = 0.9,
                                 .weight_decay = 0.2,
                                 .decoupled = averages},
                        .average_beta = 0.75,
                        .skip = skip};
    const AdamTensors kernel = adam_case(shapes, GetParam().dtype);
    const AdamTensors reference = adam_case(shapes, GetParam().dtype);
    multi_tensor_adam_kernel(arrays_of(kernel, averages), task, nullptr);
    multi_tensor_adam_reference(arrays_of(reference, averages), task);
    expect_close(kernel.parameters, reference.parameters);
    expect_close(kernel.first_moments, reference.first_moments);
    expect_close(kernel.second_moments, reference.second_moments);
    expect_close(kernel.averages, reference.averages);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MultiTensorAdamOnHost, testing::Values(kFloat32, kFloat64),
                         name_of_type);

}  // namespace
}  // namespace ganscale::kernels
