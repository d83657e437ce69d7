#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

constexpr int kLabelCount = 3;

/// What both networks give for the same inputs, and the gradients of D's weights.
struct Results {
  at::Tensor images;
  at::Tensor scores;
  NamedTensors gradients;
};

Results results_in(at::ScalarType type, const std::string& model) {
  ModelConfig config = read_model(model, kLabelCount);
  config.low_precision_type = type;
  const Networks networks = build_networks(config, 1, nullptr);
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto labels = takes_labels(config) ? at::arange(8).remainder(kLabelCount) : at::Tensor();
  const auto z = numbers({8, networks.generator->z_dim()}, 1).to(at::kFloat);
  Results results;
  results.images = networks.generator->forward(z, labels, random);
  const auto seen = numbers(results.images.sizes(), 2).to(at::kFloat);
  results.scores = networks.discriminator->forward(seen, labels, random);
  results.scores.square().sum().backward();
  for (const auto& [name, parameter] : named_parameters(*networks.discriminator)) {
    if (parameter.grad().defined()) results.gradients[name] = parameter.grad();
  }
  return results;
}

double relative_error(const at::Tensor& of, const at::Tensor& exact) {
  return (of - exact).norm().item<double>() / exact.norm().item<double>();
}

class InBf16 : public testing::TestWithParam<const char*> {};

// Some twenty roundings of 2^-9 each, one behind the other, and the masks of a few ReLUs, which
// stop or pass wrong numbers. A result in bf16 would be rounded to it.
TEST_P(InBf16, GivesWhatFloat32GivesInFloat32) {
  const Results exact = results_in(at::kFloat, GetParam());
  const Results low = results_in(at::kBFloat16, GetParam());
  for (const auto& [of, expected] :
       {std::pair(low.images, exact.images), {low.scores, exact.scores}}) {
    EXPECT_EQ(of.scalar_type(), at::kFloat);
    EXPECT_LT(relative_error(of, expected), 0.05);
    EXPECT_GT(relative_error(of, expected), 1e-4) << "it computes in float32";
    EXPECT_FALSE(of.equal(of.to(at::kBFloat16).to(at::kFloat))) << "its last layer rounds";
  }
  for (const auto& [name, gradient] : low.gradients) {
    EXPECT_EQ(gradient.scalar_type(), at::kFloat) << name;
    EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << name;
    if (!name.ends_with("weight")) continue;
    EXPECT_LT(relative_error(gradient, exact.gradients.at(name)), 0.5) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, InBf16,
                         testing::Values("{name: dcgan}", "{name: conditional_dcgan}",
                                         "{name: wgan}", "{name: wgan_resnet, channels: 0.25}",
                                         "{name: sngan, channels: 0.25}"));

}  // namespace
}  // namespace ganscale::models
