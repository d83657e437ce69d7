// The kernel of multi_tensor_adam against its reference.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "support/adam_case.h"

namespace ganscale::kernels {
namespace {

/// More parameters than a launch takes, among them an empty one and one larger than its blocks.
std::vector<std::vector<std::int64_t>> many_shapes() {
  std::vector<std::vector<std::int64_t>> shapes = {{}, {0, 3}, {513, 127, 3, 3}};
  for (std::int64_t i = 1; i <= 130; ++i) shapes.push_back({i, 3});
  return shapes;
}

AdamTensors on_device(const AdamTensors& host) {
  AdamTensors device = host;
  for (auto* list : {&device.parameters, &device.gradients, &device.first_moments,
                     &device.second_moments, &device.averages, &device.steps}) {
    for (at::Tensor& tensor : *list) tensor = tensor.to(at::kCUDA);
  }
  return device;
}

void expect_close(const std::vector<at::Tensor>& device, const std::vector<at::Tensor>& host,
                  double tolerance) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_TRUE(at::allclose(device[i].cpu(), host[i], tolerance, tolerance)) << i;
  }
}

class MultiTensorAdamKernel : public testing::TestWithParam<at::ScalarType> {};

TEST_P(MultiTensorAdamKernel, UpdatesAsTheReference) {
  if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
  const double tolerance = GetParam() == at::kDouble ? 1e-13 : 1e-5;
  for (const bool averages : {true, false}) {
    const AdamRule rule{.learning_rate = 0.1,
                        .beta1 = 0.5,
                        .beta2 = 0.9,
                        .weight_decay = 0.2,
                        .decoupled = averages};
    AdamTensors host = adam_case(many_shapes(), GetParam());
    if (!averages) host.averages.clear();
    const AdamTensors device = on_device(host);
    multi_tensor_adam(host, rule, 0.75);
    multi_tensor_adam(device, rule, 0.75);
    expect_close(device.parameters, host.parameters, tolerance);
    expect_close(device.first_moments, host.first_moments, tolerance);
    expect_close(device.second_moments, host.second_moments, tolerance);
    expect_close(device.averages, host.averages, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MultiTensorAdamKernel, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& info) { return c10::toString(info.param); });

}  // namespace
}  // namespace ganscale::kernels
