#include "models/stylegan/layers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan {
namespace {

const double kRoot2 = std::sqrt(2.0);

/// Sets a parameter of a module in float64.
void set(torch::nn::Module& module, const std::string& name, const at::Tensor& value) {
  const at::NoGradGuard no_grad;
  module.to(at::kDouble);
  named_state(module).at(name).copy_(value);
}

at::Tensor numbers(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

// The weights have variance 1 and are divided by the root of the inputs, 4, at run time.
TEST(FullyConnected, ScalesItsWeightsAtRunTime) {
  FullyConnected layer(4, 2);
  set(layer, "weight", numbers({1, 2, 3, 4, 0, 0, 0, 2}).view({2, 4}));
  set(layer, "bias", numbers({0.5, -0.5}));
  const auto y = layer.forward(numbers({1, 1, 1, 1}).view({1, 4}));
  EXPECT_TRUE(at::allclose(y, numbers({10.0 / 2 + 0.5, 2.0 / 2 - 0.5}).view({1, 2})));
}

TEST(FullyConnected, LearnsAtItsOwnRateBySmallerWeights) {
  FullyConnected layer(4, 1, {.rate_multiplier = 0.01});
  set(layer, "weight", numbers({1, 1, 1, 1}).view({1, 4}));
  set(layer, "bias", numbers({3}));
  const auto y = layer.forward(numbers({1, 1, 1, 1}).view({1, 4}));
  EXPECT_NEAR(y.item<double>(), 0.01 * (4.0 / 2) + 0.01 * 3, 1e-12);
}

TEST(FullyConnected, KeepsTheVarianceThroughItsActivation) {
  FullyConnected layer(1, 2, {.activation = kernels::Activation::kLeakyRelu});
  set(layer, "weight", numbers({1, -1}).view({2, 1}));
  const auto y = layer.forward(numbers({3}).view({1, 1}));
  EXPECT_TRUE(at::allclose(y, numbers({3 * kRoot2, -0.2 * 3 * kRoot2}).view({1, 2})));
}

TEST(FullyConnected, BeginsWithTheBiasThatItIsGiven) {
  FullyConnected layer(3, 2, {.first_bias = {1}});
  EXPECT_TRUE(at::equal(layer.forward(at::zeros({1, 3})), at::ones({1, 2})));
}

TEST(FullyConnected, BeginsWithTheBiasOfEachFeatureAtItsRate) {
  FullyConnected layer(3, 2, {.rate_multiplier = 0.5, .first_bias = {1, -2}});
  EXPECT_TRUE(at::equal(layer.bias(), at::tensor({2.0F, -4.0F})));
  EXPECT_TRUE(at::equal(layer.forward(at::zeros({1, 3})), at::tensor({1.0F, -2.0F}).view({1, 2})));
}

TEST(FullyConnected, ScalesItsResultByItsGain) {
  FullyConnected layer(1, 1, {.first_bias = {1}, .result_gain = 3});
  set(layer, "weight", numbers({2}).view({1, 1}));
  set(layer, "bias", numbers({1}));
  EXPECT_NEAR(layer.forward(numbers({5}).view({1, 1})).item<double>(), 3 * (5 * 2 + 1), 1e-12);
}

at::Tensor convolved(const ConvolutionLayer& layer, const at::Tensor& x,
                     const at::Tensor& addend = {}) {
  return layer.forward(x, parameters_for({&layer}, x.scalar_type()).front(), addend);
}

// One channel, kernel 1: the root of the fan-in is 1.
TEST(ConvolutionLayer, ScalesItsResultAndItsClampByTheGain) {
  const auto x = numbers({1, 100, -6}).view({1, 1, 1, 3});
  for (const double gain : {1.0, 0.5}) {
    ConvolutionLayer layer(1, 1, {.kernel = 1, .clamp = 4.0, .result_gain = gain});
    set(layer, "weight", at::ones({1, 1, 1, 1}));
    set(layer, "bias", numbers({1}));
    const auto expected = numbers({2 * kRoot2, 4, -kRoot2}) * gain;
    EXPECT_TRUE(at::allclose(convolved(layer, x).flatten(), expected));
    EXPECT_TRUE(at::allclose(convolved(layer, x, x).flatten(), expected + x.flatten()));
  }
}

TEST(ConvolutionLayer, ScalesItsWeightByTheGainIfItIsLinear) {
  ConvolutionLayer layer(
      1, 1,
      {.kernel = 1, .bias = false, .activation = kernels::Activation::kLinear, .result_gain = 3});
  set(layer, "weight", at::ones({1, 1, 1, 1}));
  EXPECT_EQ(convolved(layer, numbers({2}).view({1, 1, 1, 1})).item<double>(), 6);
}

TEST(ConvolutionLayer, ScalesItsWeightsByTheFanIn) {
  ConvolutionLayer layer(2, 1, {.bias = false, .activation = kernels::Activation::kLinear});
  set(layer, "weight", at::ones({1, 2, 3, 3}));
  const auto y = convolved(layer, at::ones({1, 2, 5, 5}, at::kDouble));
  EXPECT_NEAR(y[0][0][2][2].item<double>(), 18 / std::sqrt(18.0), 1e-12);  // 2 * 3 * 3 ones
  EXPECT_NEAR(y[0][0][0][0].item<double>(), 8 / std::sqrt(18.0), 1e-12);   // at the corner
}

TEST(ConvolutionLayer, HalvesTheImage) {
  ConvolutionLayer layer(
      1, 1, {.kernel = 1, .down = 2, .bias = false, .activation = kernels::Activation::kLinear});
  set(layer, "weight", at::ones({1, 1, 1, 1}));
  const auto y = convolved(layer, at::ones({1, 1, 16, 16}, at::kDouble));
  EXPECT_EQ(y.sizes(), at::IntArrayRef({1, 1, 8, 8}));
  EXPECT_NEAR(y[0][0][4][4].item<double>(), 1, 1e-12);  // the low pass keeps what is flat
}

TEST(ParametersFor, HoldTheParametersOfEachLayerInTheGivenType) {
  FullyConnected full(4, 2);
  ConvolutionLayer bare(1, 1, {.bias = false});
  const auto parameters = parameters_for({&full, nullptr, &bare}, at::kBFloat16);
  ASSERT_EQ(parameters.size(), 3);
  EXPECT_EQ(parameters[0].weight.sizes(), at::IntArrayRef({2, 4}));
  EXPECT_EQ(parameters[0].bias.scalar_type(), at::kBFloat16);
  EXPECT_FALSE(parameters[1].weight.defined());
  EXPECT_EQ(parameters[2].weight.sizes(), at::IntArrayRef({1, 1, 3, 3}));
  EXPECT_FALSE(parameters[2].bias.defined());
}

TEST(ParametersFor, HaveTheTypeOfTheirLayersFeatures) {
  FullyConnected low(4, 2);
  FullyConnected exact(4, 2);
  const auto parameters = parameters_for({{&low, at::kBFloat16}, {&exact, at::kFloat}});
  EXPECT_EQ(parameters[0].bias.scalar_type(), at::kBFloat16);
  EXPECT_EQ(parameters[1].bias.scalar_type(), at::kFloat);
}

TEST(ResamplingFilter, IsTheBinomialLowPass) {
  const auto filter = resampling_filter();
  EXPECT_NEAR(filter.sum().item<double>(), 1, 1e-6);
  EXPECT_FLOAT_EQ(filter[1][2].item<float>(), 9.0F / 64);
  EXPECT_FLOAT_EQ(filter[0][3].item<float>(), 1.0F / 64);
}

}  // namespace
}  // namespace ganscale::models::stylegan
