// The kernels of styled_activation against their references.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "kernels/styled_activation/styled_activation.h"

namespace ganscale::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

/// Sizes that fill neither vectors nor blocks, such that do, and several parts of the pixels.
const std::vector<std::vector<std::int64_t>> kImageShapes = {
    {1, 1, 1, 1}, {4, 3, 5, 7}, {2, 33, 17, 19}, {2, 72, 64, 64}};

class StyledActivationOnGpu : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
    at::manual_seed(1);
  }

  static at::ScalarType wide() { return GetParam() == at::kDouble ? at::kDouble : at::kFloat; }

  static double tolerance() {
    switch (GetParam()) {
      case at::kDouble: return 1e-13;
      case at::kFloat: return 1e-5;
      case at::kHalf: return 2e-3;
      default: return 2e-2;
    }
  }

  /// Operands: y, demodulation, strength, bias, next_styles; then noise, and a gradient of each
  /// result.
  static Tensors numbers(at::IntArrayRef shape) {
    const auto N = shape[0];
    const auto C = shape[1];
    const auto images = [&] { return at::randn(shape, at::kDouble).to(GetParam()); };
    const auto others = [](at::IntArrayRef size) { return at::rand(size, wide()) + 0.5; };
    return {images(),        others({N, C}), others({}),
            others({C}) - 1, others({N, C}), others({N, 1, shape[2], shape[3]}),
            images(),        images()};
  }

  /// Both results, the gradients of the operands, and the gradients of a sum of these.
  static Tensors computed(const Tensors& numbers, at::Device device, at::MemoryFormat format) {
    Tensors in;
    for (const auto& tensor : numbers) {
      in.push_back(tensor.dim() == 4 ? tensor.detach().to(device).contiguous(format)
                                     : tensor.detach().to(device));
    }
    const Tensors operands(in.begin(), in.begin() + 5);
    for (const auto& operand : operands) operand.requires_grad_();
    const auto [value, scaled] = styled_activation({.y = in[0],
                                                    .demodulation = in[1],
                                                    .noise = in[5],
                                                    .strength = in[2],
                                                    .bias = in[3],
                                                    .next_styles = in[4]},
                                                   {.gain = 1.5, .clamp = 1.2});
    const Tensors first = torch::autograd::grad({value, scaled}, operands, {in[6], in[7]}, true,
                                                /*create_graph=*/true);
    at::Tensor sum = at::zeros({}, in[3].options());
    for (const auto& gradient : first) sum = sum + gradient.to(wide()).mean();
    const Tensors second = torch::autograd::grad({sum}, {in[0], in[1], in[4]}, {}, false, false);
    Tensors all = {value, scaled};
    all.insert(all.end(), first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
  }
};

TEST_P(StyledActivationOnGpu, HasTheValuesAndTwoDerivativesOfTheReference) {
  for (const auto& shape : kImageShapes) {
    const Tensors given = numbers(shape);
    const Tensors expected = computed(given, at::kCPU, at::MemoryFormat::Contiguous);
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const Tensors kernel = computed(given, at::kCUDA, format);
      for (std::size_t i = 0; i < kernel.size(); ++i) {
        const auto reference = expected[i].detach().to(at::kDouble);
        const auto difference = kernel[i].detach().cpu().to(at::kDouble) - reference;
        EXPECT_LE(difference.abs().max().item<double>(),
                  tolerance() * (reference.abs().max().item<double>() + 1e-3))
            << "tensor " << i << " of " << at::IntArrayRef(shape) << ", " << format;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, StyledActivationOnGpu,
                         testing::Values(at::kFloat, at::kDouble, at::kHalf, at::kBFloat16));

}  // namespace
}  // namespace ganscale::kernels
