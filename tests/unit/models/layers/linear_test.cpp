#include "models/layers/linear.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/layers/embedding.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

void set(const torch::nn::Module& module, const std::string& name, const at::Tensor& value) {
  const at::NoGradGuard no_grad;
  named_state(module).at(name).copy_(value);
}

TEST(Linear, IsAMatrixAndABias) {
  Linear layer(2, 3);
  set(layer, "weight", at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}).view({3, 2}));
  set(layer, "bias", at::tensor({0.5F, 0.0F, -1.0F}));
  const auto y = layer.forward(at::tensor({1.0F, 10.0F}).view({1, 2}));
  EXPECT_TRUE(at::equal(y.flatten(), at::tensor({21.5F, 43.0F, 64.0F})));
}

// The largest singular value of diag(2, 4) is 4.
TEST(Linear, DividesItsWeightByTheLargestSingularValue) {
  Linear layer(2, 2);
  set(layer, "weight", at::diag(at::tensor({2.0F, 4.0F})));
  set(layer, "bias", at::ones({2}));
  layer.normalize_spectrum();
  set(layer, "spectral_norm.u", at::ones({2}));
  at::Tensor y;
  for (int pass = 0; pass < 30; ++pass) y = layer.forward(at::ones({1, 2}));
  EXPECT_TRUE(at::allclose(y.flatten(), at::tensor({1.5F, 2.0F}), 1e-4, 1e-4));
}

TEST(Embedding, IsARowForEachLabel) {
  Embedding layer(3, 2);
  set(layer, "weight", at::arange(6, at::kFloat).view({3, 2}));
  const auto y = layer.forward(at::tensor({std::int64_t{2}, std::int64_t{0}, std::int64_t{2}}));
  EXPECT_TRUE(at::equal(y, at::tensor({4.0F, 5.0F, 0.0F, 1.0F, 4.0F, 5.0F}).view({3, 2})));
}

TEST(Embedding, LearnsOnlyTheRowsOfItsLabels) {
  Embedding layer(3, 2);
  layer.forward(at::tensor({std::int64_t{2}, std::int64_t{2}})).sum().backward();
  const auto gradient = named_parameters(layer).at("weight").grad();
  EXPECT_TRUE(at::equal(gradient, at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 2.0F, 2.0F}).view({3, 2})));
}

}  // namespace
}  // namespace ganscale::models
