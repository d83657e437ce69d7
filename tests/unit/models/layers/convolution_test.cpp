#include "models/layers/convolution.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

template <class Layer>
std::pair<at::Tensor, at::Tensor> give_numbers(Layer& layer) {
  layer.to(at::kDouble);
  const at::NoGradGuard no_grad;
  const auto parameters = named_parameters(layer);
  const auto weight = parameters.at("weight");
  const auto bias = parameters.at("bias");
  weight.copy_(numbers(weight.sizes(), 1));
  bias.copy_(numbers(bias.sizes(), 2));
  return {weight, bias};
}

TEST(Convolution, WithStrideTwoHalvesTheImage) {
  const Convolution layer(3, 16, 2);
  EXPECT_EQ(layer.forward(at::zeros({5, 3, 64, 64})).sizes(), at::IntArrayRef({5, 16, 32, 32}));
}

TEST(UpsampledConvolution, IsNearestUpsamplingAndAConvolution) {
  for (const auto& [height, width] : {std::pair{1, 1}, {2, 3}, {5, 4}}) {
    UpsampledConvolution layer(3, 4);
    const auto [weight, bias] = give_numbers(layer);
    const auto x = numbers({2, 3, height, width}, 3);
    const auto upsampled = x.repeat_interleave(2, 2).repeat_interleave(2, 3);
    const auto expected = at::conv2d(upsampled, weight, bias, 1, 1);
    EXPECT_TRUE(at::allclose(layer.forward(x), expected, 1e-12, 1e-12)) << height << "x" << width;
  }
}

TEST(UpsampledConvolution, HasTheGradientsOfTheTwoSteps) {
  UpsampledConvolution layer(3, 4);
  const auto [weight, bias] = give_numbers(layer);
  const auto x = numbers({2, 3, 3, 5}, 3).requires_grad_();
  const auto gradient = numbers({2, 4, 6, 10}, 4);
  const auto upsampled = x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  const auto twice = at::conv2d(upsampled, weight, bias, 1, 1);
  const auto expected = torch::autograd::grad({twice}, {x, weight, bias}, {gradient});
  const auto given = torch::autograd::grad({layer.forward(x)}, {x, weight, bias}, {gradient});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::allclose(given[i], expected[i], 1e-12, 1e-12)) << "input " << i;
  }
}

}  // namespace
}  // namespace ganscale::models
