#include "kernels/styled_activation/styled_activation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "kernels/bias_act/bias_act.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

constexpr StyledActivation kOptions{.gain = 1.5, .clamp = 0.75, .slope = 0.25};

/// Operands in float64.
StyledActivationInputs operands(at::IntArrayRef shape) {
  const auto N = shape[0];
  const auto C = shape[1];
  return {.y = fixed_numbers(shape, 0.1),
          .demodulation = fixed_numbers({N, C}, 0.5) + 1.5,
          .noise = fixed_numbers({N, 1, shape[2], shape[3]}, 0.2),
          .strength = at::scalar_tensor(0.7, at::kDouble),
          .bias = fixed_numbers({C}, 0.7),
          .next_styles = fixed_numbers({N, C}, 0.9) + 1.25};
}

/// The separate operators.
StyledActivationResults composed(const StyledActivationInputs& in,
                                 const StyledActivation& options) {
  at::Tensor u = in.demodulation.defined() ? scale_channels(in.y, in.demodulation) : in.y;
  if (in.noise.defined()) u = u + in.noise * in.strength;
  const auto value = bias_act(u, in.bias,
                              {.activation = Activation::kLeakyRelu,
                               .gain = options.gain,
                               .clamp = options.clamp,
                               .slope = options.slope});
  return {
      .value = value,
      .scaled = in.next_styles.defined() ? scale_channels(value, in.next_styles) : at::Tensor()};
}

/// The operands that may have a gradient and are there.
Tensors variables_of(const StyledActivationInputs& in) {
  Tensors variables = {in.y, in.demodulation, in.strength, in.bias, in.next_styles};
  std::erase_if(variables, [](const at::Tensor& tensor) { return !tensor.defined(); });
  return variables;
}

StyledActivationInputs with_variables(StyledActivationInputs in, const Tensors& variables) {
  auto next = variables.begin();
  for (at::Tensor* operand : {&in.y, &in.demodulation, &in.strength, &in.bias, &in.next_styles}) {
    if (operand->defined()) *operand = *next++;
  }
  return in;
}

using Operator = StyledActivationResults (*)(const StyledActivationInputs&,
                                             const StyledActivation&);

/// Both results, then their first and second gradients, all weighted with numbers.
Tensors everything(Operator apply, const StyledActivationInputs& in,
                   const StyledActivation& options) {
  Tensors leaves;
  for (const auto& variable : variables_of(in)) {
    leaves.push_back(variable.detach().requires_grad_());
  }
  const auto [value, scaled] = apply(with_variables(in, leaves), options);
  at::Tensor sum = (value * fixed_numbers(value.sizes(), 0.3)).sum();
  if (scaled.defined()) sum = sum + (scaled * fixed_numbers(scaled.sizes(), 0.4)).sum();
  const Tensors gradients = gradients_of(sum, leaves, /*create_graph=*/true);
  at::Tensor sum_of_gradients = at::zeros({}, at::kDouble);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const double phase = 1.1 + static_cast<double>(i);
    sum_of_gradients =
        sum_of_gradients + (gradients[i] * fixed_numbers(gradients[i].sizes(), phase)).sum();
  }
  Tensors all = {value};
  if (scaled.defined()) all.push_back(scaled);
  all.insert(all.end(), gradients.begin(), gradients.end());
  const Tensors second = gradients_of(sum_of_gradients, leaves, /*create_graph=*/false);
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

void expect_as_composed(const StyledActivationInputs& in, const StyledActivation& options) {
  const Tensors one = everything(styled_activation, in, options);
  const Tensors many = everything(composed, in, options);
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double largest = many[i].abs().max().item<double>();
    EXPECT_LE((one[i] - many[i]).abs().max().item<double>(), 1e-12 * (largest + 1))
        << "tensor " << i;
  }
}

/// Which operands there are: demodulation, noise, next_styles.
class StyledActivationOf : public testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  static StyledActivationInputs chosen(StyledActivationInputs in) {
    if (!std::get<0>(GetParam())) in.demodulation = at::Tensor();
    if (!std::get<1>(GetParam())) in.noise = in.strength = at::Tensor();
    if (!std::get<2>(GetParam())) in.next_styles = at::Tensor();
    return in;
  }
};

TEST_P(StyledActivationOf, HasTwoDerivatives) {
  const auto in = chosen(operands({2, 3, 3, 4}));
  const auto results = [&](const Tensors& variables) {
    const auto [value, scaled] = styled_activation(with_variables(in, variables), kOptions);
    return scaled.defined() ? at::cat({value, scaled}) : value;
  };
  // Differences must not cross a kink.
  const auto free = composed(in, {.gain = kOptions.gain, .slope = kOptions.slope}).value.abs();
  ASSERT_GT(free.min().item<double>(), 1e-4);
  ASSERT_GT((free - *kOptions.clamp).abs().min().item<double>(), 1e-4);
  ASSERT_TRUE(free.gt(*kOptions.clamp).any().item<bool>());
  expect_two_derivatives(results, variables_of(in));
}

TEST_P(StyledActivationOf, MatchesSeparateOperators) {
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    for (const std::optional<double> clamp : {std::optional<double>(), kOptions.clamp}) {
      auto in = chosen(operands({3, 5, 7, 6}));
      in.y = in.y.contiguous(format);
      StyledActivation options = kOptions;
      options.clamp = clamp;
      expect_as_composed(in, options);
      EXPECT_TRUE(styled_activation(in, options).value.is_contiguous(format));
    }
  }
}

std::string name_of_operands(const testing::TestParamInfo<StyledActivationOf::ParamType>& info) {
  const auto [demodulation, noise, next_styles] = info.param;
  return std::string(demodulation ? "Demodulation" : "") + (noise ? "Noise" : "") + "Bias" +
         (next_styles ? "NextStyles" : "");
}

INSTANTIATE_TEST_SUITE_P(Operands, StyledActivationOf,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()),
                         name_of_operands);

// u = 2, -0.5 | -1.5, 1; gain * lrelu(u) = 4, -0.5 | -1.5, 2.
TEST(StyledActivation, MatchesValuesByHand) {
  const auto image = [](std::initializer_list<float> values) {
    return at::tensor(at::ArrayRef<float>(values)).view({1, 2, 1, 2});
  };
  const StyledActivationInputs in{
      .y = image({0.5F, -1, -1, 1}).requires_grad_(),
      .demodulation = at::tensor({2.0F, 1.0F}).view({1, 2}).requires_grad_(),
      .noise = at::tensor({1.0F, 2.0F}).view({1, 1, 1, 2}),
      .strength = at::scalar_tensor(0.5F).requires_grad_(),
      .bias = at::tensor({0.5F, -1.0F}).requires_grad_(),
      .next_styles = at::tensor({3.0F, -1.0F}).view({1, 2}).requires_grad_()};
  const auto [value, scaled] = styled_activation(in, {.gain = 2, .clamp = 3.0, .slope = 0.5});
  EXPECT_TRUE(value.equal(image({3, -0.5F, -1.5F, 2})));
  EXPECT_TRUE(scaled.equal(image({9, -1.5F, 1.5F, -2})));
  // With gain lrelu'(u) = 0, 1 | 1, 2, the gradient of u is 0, 3 | -1, -2.
  scaled.sum().backward();
  EXPECT_TRUE(in.y.grad().equal(image({0, 6, -1, -2})));
  EXPECT_TRUE(in.demodulation.grad().flatten().equal(at::tensor({-3.0F, -1.0F})));
  EXPECT_TRUE(in.next_styles.grad().flatten().equal(at::tensor({2.5F, 0.5F})));
  EXPECT_TRUE(in.bias.grad().equal(at::tensor({3.0F, -3.0F})));
  EXPECT_EQ(in.strength.grad().item<float>(), 1);
}

TEST(StyledActivation, SharesOnePlaneOfNoise) {
  auto in = operands({3, 5, 7, 6});
  in.noise = in.noise.slice(0, 0, 1);
  expect_as_composed(in, kOptions);
}

// More pixels than one thread takes at a time, and channels than lie in a cache.
TEST(StyledActivation, OfLargeImagesMatchesSeparateOperators) {
  for (const auto& shape : {std::vector<std::int64_t>{2, 3, 190, 130}, {1, 1100, 3, 5}}) {
    auto in = operands(shape);
    expect_as_composed(in, kOptions);
    in.y = in.y.contiguous(at::MemoryFormat::ChannelsLast);
    expect_as_composed(in, kOptions);
  }
}

TEST(StyledActivation, TakesGradientsOfEitherResult) {
  for (const bool of_value : {true, false}) {
    const auto gradients = [&](Operator apply) {
      auto in = operands({2, 3, 5, 4});
      for (const auto& variable : variables_of(in)) variable.requires_grad_();
      const auto [value, scaled] = apply(in, kOptions);
      const auto sum = ((of_value ? value : scaled) * fixed_numbers({2, 3, 5, 4}, 0.3)).sum();
      return gradients_of(sum, variables_of(in), /*create_graph=*/false);
    };
    const Tensors one = gradients(styled_activation);
    const Tensors many = gradients(composed);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::allclose(one[i], many[i])) << i;
  }
}

// As where the noise and the factors of all layers are computed at once.
TEST(StyledActivation, TakesOperandsOfImagesThatLieApart) {
  auto in = operands({3, 5, 7, 6});
  in.demodulation = (fixed_numbers({3, 20}, 0.5) + 1.5).slice(1, 4, 9);
  in.next_styles = (fixed_numbers({3, 11}, 0.9) + 1.25).slice(1, 6);
  in.noise = fixed_numbers({3, 100}, 0.9).slice(1, 11, 53).view({3, 1, 7, 6});
  expect_as_composed(in, kOptions);
}

TEST(StyledActivation, TakesStridedOperands) {
  auto in = operands({2, 3, 5, 8});
  in.y = in.y.slice(3, 0, 8, 2);
  in.noise = in.noise.slice(3, 0, 8, 2);
  in.demodulation = fixed_numbers({3, 2}, 0.5).t();
  in.bias = fixed_numbers({6}, 0.7).slice(0, 0, 6, 2);
  expect_as_composed(in, kOptions);
}

class StyledActivationInLowPrecision : public testing::TestWithParam<at::ScalarType> {
 protected:
  static StyledActivationInputs in_float(StyledActivationInputs in) {
    for (at::Tensor* operand :
         {&in.y, &in.demodulation, &in.noise, &in.strength, &in.bias, &in.next_styles}) {
      *operand = operand->to(at::kFloat);
    }
    return in;
  }
};

TEST_P(StyledActivationInLowPrecision, IsFloat32Rounded) {
  auto wide = in_float(operands({2, 3, 5, 4}));
  wide.y = wide.y.to(GetParam()).to(at::kFloat);
  auto low = wide;
  low.y = wide.y.to(GetParam());
  const StyledActivation unclamped{.gain = 1.5, .slope = 0.25};
  for (StyledActivationInputs* in : {&low, &wide}) {
    for (const auto& variable : variables_of(*in)) variable.requires_grad_();
  }
  const auto rounded = styled_activation(low, unclamped);
  const auto exact = styled_activation(wide, unclamped);
  EXPECT_TRUE(rounded.value.equal(exact.value.to(GetParam())));
  EXPECT_TRUE(rounded.scaled.equal(exact.scaled.to(GetParam())));
  const auto gradient = fixed_numbers({2, 3, 5, 4}, 0.3).to(GetParam());
  const auto of_low = torch::autograd::grad({rounded.value}, {low.y, low.demodulation}, {gradient});
  const auto of_wide =
      torch::autograd::grad({exact.value}, {wide.y, wide.demodulation}, {gradient.to(at::kFloat)});
  EXPECT_TRUE(of_low[0].equal(of_wide[0].to(GetParam())));
  EXPECT_TRUE(of_low[1].equal(of_wide[1]));
}

// 0.9 lies between two numbers of either type, nearer to the lower one.
TEST_P(StyledActivationInLowPrecision, PassesNoGradientThroughClampedValues) {
  const StyledActivationInputs in{.y = at::full({1, 1, 1, 1}, 2.0, GetParam()).requires_grad_(),
                                  .bias = at::zeros({1})};
  const auto value = styled_activation(in, {.gain = 3, .clamp = 0.9}).value;
  ASSERT_LT(value.item<double>(), 0.9);
  value.backward();
  EXPECT_EQ(in.y.grad().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Types, StyledActivationInLowPrecision,
                         testing::Values(at::kHalf, at::kBFloat16),
                         [](const auto& info) { return std::string(c10::toString(info.param)); });

// As where an image is projected.
TEST(StyledActivation, HasTheGradientOfNoiseThatIsAVariable) {
  const auto gradient_of_noise = [](Operator apply) {
    auto in = operands({2, 3, 5, 4});
    in.noise = in.noise.slice(0, 0, 1).requires_grad_();
    return gradients_of(apply(in, kOptions).scaled.sum(), {in.noise}, /*create_graph=*/false)[0];
  };
  EXPECT_TRUE(at::allclose(gradient_of_noise(styled_activation), gradient_of_noise(composed)));
}

TEST(StyledActivation, RunsOnTheMetaDevice) {
  StyledActivationInputs in = operands({2, 3, 5, 4});
  for (at::Tensor* operand :
       {&in.y, &in.demodulation, &in.noise, &in.strength, &in.bias, &in.next_styles}) {
    *operand = operand->to(at::kMeta);
  }
  in.y = in.y.contiguous(at::MemoryFormat::ChannelsLast);
  for (const auto& variable : variables_of(in)) variable.requires_grad_();
  const auto [value, scaled] = styled_activation(in, kOptions);
  EXPECT_TRUE(value.is_meta() && scaled.is_meta());
  EXPECT_TRUE(scaled.is_contiguous(at::MemoryFormat::ChannelsLast));
  const auto gradients = gradients_of(scaled.sum(), variables_of(in), /*create_graph=*/true);
  at::Tensor sum = at::zeros({}, in.y.options());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(gradients[i].sizes(), variables_of(in)[i].sizes());
    sum = sum + gradients[i].sum();
  }
  for (const auto& second : gradients_of(sum, variables_of(in), /*create_graph=*/false)) {
    EXPECT_TRUE(second.is_meta());
  }
}

TEST(StyledActivation, TakesFloat64AndFloat32) {
  auto in = operands({1, 2, 3, 2});
  in.y = in.y.to(at::kFloat);
  in.bias.requires_grad_();
  const auto value = styled_activation(in, kOptions).value;
  EXPECT_EQ(value.scalar_type(), at::kFloat);
  value.sum().backward();
  EXPECT_EQ(in.bias.grad().scalar_type(), at::kDouble);
}

TEST(StyledActivation, RefusesAThirdDerivative) {
  auto in = operands({1, 2, 2, 2});
  in.y.requires_grad_();
  const auto value = styled_activation(in, kOptions).value;
  const auto first = gradients_of(value.square().sum(), {in.y}, /*create_graph=*/true)[0];
  expect_error(ExitCode::kBug, "two derivatives",
               [&] { gradients_of(first.square().sum(), {in.y}, /*create_graph=*/true); });
}

TEST(StyledActivation, RefusesOperandsOfOtherSizes) {
  const auto expect_refused = [](const std::string& why, const auto& change) {
    auto in = operands({2, 3, 4, 5});
    change(in);
    expect_error(ExitCode::kBug, why, [&] { styled_activation(in, kOptions); });
  };
  expect_refused("not none", [](auto& in) { in.y = at::zeros({0, 3, 4, 5}); });
  expect_refused("a factor for each image",
                 [](auto& in) { in.demodulation = in.demodulation.slice(0, 0, 1); });
  expect_refused("a bias per channel", [](auto& in) { in.bias = in.bias.slice(0, 0, 2); });
  expect_refused("together", [](auto& in) { in.strength = at::Tensor(); });
  expect_refused("for each pixel", [](auto& in) { in.noise = in.noise.slice(3, 0, 4); });
}

}  // namespace
}  // namespace ganscale::kernels
