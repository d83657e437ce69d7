#include "kernels/bias_act/bias_act.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/activation_of.h"
#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

class EveryActivation : public testing::TestWithParam<const char*> {};

TEST_P(EveryActivation, HasTwoDerivatives) {
  const BiasAct options{.activation = activation_of(GetParam()), .gain = 1.3, .clamp = 0.8};
  expect_two_derivatives([&](const Tensors& in) { return bias_act(in[0], in[1], options); },
                         {fixed_numbers({2, 3, 3, 5}, 0.1) * 1.5, fixed_numbers({3}, 0.7)});
}

TEST_P(EveryActivation, HasAGradientOfTheBiasThatHasOneItself) {
  const BiasAct options{.activation = activation_of(GetParam()), .gain = 1.3, .clamp = 0.8};
  expect_gradients_of_differences(
      [&](const Tensors& in) {
        const auto weighted = (bias_act(in[0], in[1], options) * in[2]).sum();
        const auto gradient = gradients_of(weighted, {in[1]}, /*create_graph=*/true)[0];
        return (gradient * fixed_numbers({3}, 0.2)).sum();
      },
      {fixed_numbers({2, 3, 3, 5}, 0.1) * 1.5, fixed_numbers({3}, 0.7),
       fixed_numbers({2, 3, 3, 5}, 0.4)});
}

TEST_P(EveryActivation, AddsAndHasTwoDerivatives) {
  const BiasAct options{.activation = activation_of(GetParam()), .gain = 1.3, .clamp = 0.8};
  const Tensors in = {fixed_numbers({2, 3, 3, 5}, 0.1) * 1.5, fixed_numbers({3}, 0.7),
                      fixed_numbers({2, 3, 3, 5}, 0.4)};
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const auto sum = bias_act(in[0].contiguous(format), in[1], options, in[2]);
    EXPECT_TRUE(at::allclose(sum, bias_act(in[0], in[1], options) + in[2], 0, 1e-15));
  }
  expect_two_derivatives([&](const Tensors& at) { return bias_act(at[0], at[1], options, at[2]); },
                         in);
}

TEST_P(EveryActivation, IsTheSameChannelsLast) {
  const BiasAct options{.activation = activation_of(GetParam())};
  const auto x = fixed_numbers({2, 3, 5, 7}, 0.1);
  const auto bias = fixed_numbers({3}, 0.7);
  const auto result = bias_act(x.contiguous(at::MemoryFormat::ChannelsLast), bias, options);
  EXPECT_TRUE(result.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(result.equal(bias_act(x, bias, options)));
}

TEST_P(EveryActivation, TakesStridedInput) {
  const BiasAct options{.activation = activation_of(GetParam())};
  const auto wide = fixed_numbers({4, 3, 5, 14}, 0.1);
  const auto x = wide.slice(3, 0, 14, 2).slice(0, 0, 4, 3);
  const auto bias = fixed_numbers({6}, 0.7).slice(0, 0, 6, 2);
  EXPECT_TRUE(
      bias_act(x, bias, options).equal(bias_act(x.contiguous(), bias.contiguous(), options)));
}

TEST_P(EveryActivation, InLowPrecisionIsFloat32Rounded) {
  const BiasAct options{.activation = activation_of(GetParam())};
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    const auto x = fixed_numbers({2, 3, 5, 7}, 0.1).to(dtype);
    const auto bias = fixed_numbers({3}, 0.7).to(dtype);
    const auto expected = bias_act(x.to(at::kFloat), bias.to(at::kFloat), options).to(dtype);
    EXPECT_TRUE(bias_act(x, bias, options).equal(expected));
  }
}

// 0.9 lies between two numbers of either type, nearer to the lower one.
TEST_P(EveryActivation, InLowPrecisionPassesNoGradientThroughClampedValues) {
  const BiasAct options{.activation = activation_of(GetParam()), .gain = 3, .clamp = 0.9};
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    const auto x = at::full({1, 1}, 2.0, dtype).requires_grad_();
    const auto result = bias_act(x, {}, options);
    ASSERT_LT(result.item<double>(), 0.9);
    result.backward();
    EXPECT_EQ(x.grad().item<double>(), 0) << dtype;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryActivation,
                         testing::Values("linear", "relu", "lrelu", "tanh", "sigmoid", "elu",
                                         "selu", "softplus", "swish"),
                         [](const auto& info) { return std::string(info.param); });

TEST(BiasAct, OfTheLeakyReluMultipliesNegativeSumsByTheSlope) {
  const auto x = at::tensor({1.0F, -3.0F, -1.0F, 2.0F}).view({1, 2, 2});
  const auto bias = at::tensor({1.0F, -1.0F});  // sums: 2, -2, -2, 1
  const auto result = bias_act(
      x, bias, {.activation = Activation::kLeakyRelu, .gain = 2, .clamp = 3.0, .slope = 0.5});
  EXPECT_TRUE(result.flatten().equal(at::tensor({3.0F, -2.0F, -2.0F, 2.0F})));
}

TEST(BiasAct, PassesNoGradientThroughClampedValues) {
  const auto x = at::tensor({1.0, 10.0, -10.0}).view({1, 3}).requires_grad_();
  bias_act(x, {}, {.gain = 2, .clamp = 5.0}).sum().backward();
  EXPECT_TRUE(x.grad().flatten().equal(at::tensor({2.0, 0.0, 0.0}, at::kDouble)));
}

TEST(BiasAct, RefusesAnEmptyBatchAndABiasOrAnAddendOfOtherSize) {
  expect_error(ExitCode::kBug, "not empty", [] { bias_act(at::zeros({0, 3}), {}, {}); });
  expect_error(ExitCode::kBug, "a bias per channel",
               [] { bias_act(at::zeros({1, 3}), at::zeros({2}), {}); });
  expect_error(ExitCode::kBug, "x's shape",
               [] { bias_act(at::zeros({1, 3}), {}, {}, at::zeros({1, 1})); });
}

TEST(BiasAct, GainsKeepTheVarianceOfTheReluFamily) {
  EXPECT_DOUBLE_EQ(default_gain(Activation::kLeakyRelu), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(default_gain(Activation::kTanh), 1);
}

}  // namespace
}  // namespace ganscale::kernels
