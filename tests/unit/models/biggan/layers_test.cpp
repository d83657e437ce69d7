#include "models/biggan/layers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::biggan {
namespace {

constexpr double kEpsilon = 1e-12;

/// Gives all parameters and singular vectors of a layer numbers in float64.
void fill(torch::nn::Module& layer) {
  const at::NoGradGuard no_grad;
  layer.to(at::kDouble);
  double offset = 0;
  for (const auto& [name, tensor] : named_state(layer)) {
    if (!name.ends_with("stored_var")) tensor.copy_(numbers(tensor.sizes(), offset += 1));
  }
}

TEST(BigganConvolution, DividesItsWeightByTheLargestSingularValue) {
  Convolution layer(3, 4, 3, kEpsilon);
  fill(layer);
  const auto x = numbers({2, 3, 4, 4}, 1);
  for (int i = 0; i < 300; ++i) layer.forward(x);
  const auto state = named_state(layer);
  const auto largest = at::linalg_svdvals(state.at("weight").flatten(1)).max();
  EXPECT_NEAR(state.at("sv0").item<double>(), largest.item<double>(), 1e-9);
  const auto expected = at::conv2d(x, state.at("weight") / largest, state.at("bias"), 1, 1);
  EXPECT_TRUE(at::allclose(layer.forward(x), expected, 0, 1e-9));
}

TEST(BigganConvolution, KeepsTheSingularVectorOfTrainingAlone) {
  Convolution layer(3, 4, 1, kEpsilon);
  fill(layer);
  const auto x = numbers({1, 3, 2, 2}, 1);
  layer.eval();
  const auto before = named_buffers(layer).at("u0").clone();
  layer.forward(x);
  EXPECT_TRUE(at::equal(named_buffers(layer).at("u0"), before));
  layer.train();
  layer.forward(x);
  EXPECT_FALSE(at::equal(named_buffers(layer).at("u0"), before));
}

TEST(BigganConvolution, ResamplesAsInTwoSteps) {
  for (const int kernel : {1, 3}) {
    Convolution layer(3, 4, kernel, kEpsilon);
    fill(layer);
    layer.eval();
    const auto x = numbers({2, 3, 4, 6}, 3);
    EXPECT_TRUE(at::allclose(layer.upsampled(x), layer.forward(doubled(x)), 1e-12, 1e-12));
    EXPECT_TRUE(at::allclose(layer.halved(x), halved(layer.forward(x)), 1e-12, 1e-12));
  }
}

// 100 and 100.5 are exact in bf16, their mean is not: rounded to bf16, it would be one of them.
TEST(ConditionalNorm, ComputesMomentsOfLowPrecisionInFloat32) {
  ConditionalNorm norm(1, 2, {});
  fill(norm);
  norm.to(at::kFloat);
  const auto x = at::tensor({100.0F, 100.5F}).repeat({1, 1, 4, 32}).to(at::kBFloat16);
  const auto y = norm.forward(x, at::zeros({1, 2}));
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_EQ(y.flatten()[0].item<float>(), 0);  // behind ReLU
  EXPECT_EQ(y.flatten()[1].item<float>(), 1);
}

TEST(ConditionalNorm, ScalesAndShiftsEachImageByItsCondition) {
  ConditionalNorm norm(3, 2, {});
  fill(norm);
  norm.eval();
  const auto x = numbers({4, 3, 2, 2}, 9).abs();
  const auto one = norm.forward(x, numbers({4, 2}, 1));
  const auto other =
      norm.forward(x, numbers({4, 2}, 1).index_fill(0, at::tensor({std::int64_t{2}}), 7));
  EXPECT_TRUE(at::equal(one[1], other[1]));
  EXPECT_FALSE(at::equal(one[2], other[2]));
}

// Without a condition gain is 1 and bias 0.
TEST(ConditionalNorm, IsABatchNormAndReluWithoutACondition) {
  ConditionalNorm norm(3, 2, {});
  fill(norm);
  const auto x = numbers({4, 3, 2, 2}, 9);
  const auto expected =
      at::batch_norm(x, {}, {}, {}, {}, /*training=*/true, 0.1, 1e-5, false).relu();
  EXPECT_TRUE(at::allclose(norm.forward(x, at::zeros({4, 2}, at::kDouble)), expected, 0, 1e-12));
}

TEST(SelfAttention, ChangesNothingUntilItsGammaIsTrained) {
  SelfAttention layer(16, kEpsilon);
  fill(layer);
  const auto x = numbers({2, 16, 4, 4}, 1);
  const auto gamma = named_parameters(layer).at("gamma");
  EXPECT_FALSE(at::allclose(layer.forward(x), x));
  const at::NoGradGuard no_grad;
  gamma.zero_();
  EXPECT_TRUE(at::equal(layer.forward(x), x));
}

// Where all keys are alike a pixel sees the mean of all values.
TEST(SelfAttention, AveragesTheValuesByTheSoftmaxOfTheKeys) {
  const at::NoGradGuard no_grad;
  SelfAttention layer(8, kEpsilon);
  fill(layer);
  layer.eval();
  const auto parameters = named_parameters(layer);
  const auto x = numbers({1, 8, 4, 4}, 5);
  x.select(1, 0).fill_(0.5);
  parameters.at("phi.weight").narrow(1, 1, 7).zero_();  // keys see the first channel alone
  const auto normalized = [&](const std::string& name) {
    const auto weight = parameters.at(name + ".weight").flatten(1);
    const auto u = named_buffers(layer).at(name + ".u0")[0];
    const auto v = weight.t().mv(u) / weight.t().mv(u).norm();
    return weight / weight.mv(v).norm();
  };
  const auto values =
      at::max_pool2d(at::einsum("oc,nchw->nohw", {normalized("g"), x}), {2, 2}).mean({2, 3});
  const auto seen = at::einsum("oc,nc->no", {normalized("o"), values});
  const auto expected = x + parameters.at("gamma") * seen.unsqueeze(2).unsqueeze(3);
  EXPECT_TRUE(at::allclose(layer.forward(x), expected, 0, 1e-9));
}

}  // namespace
}  // namespace ganscale::models::biggan
