#include "models/dcgan/blueprint.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

/// The mean of n numbers of N(m, s) is off by more than 5 s / sqrt(n) once in two million seeds, the
/// spread by more than 5 s / sqrt(2 n), and those of uniform numbers less often.
void expect_moments(const at::Tensor& parameter, double mean, double deviation) {
  const auto count = static_cast<double>(parameter.numel());
  EXPECT_NEAR(parameter.mean().item<double>(), mean, 5 * deviation / std::sqrt(count));
  EXPECT_NEAR(parameter.std().item<double>(), deviation, 5 * deviation / std::sqrt(2 * count));
}

TEST(InitializeDcgan, DrawsEachKindOfParameterFromItsDistribution) {
  const auto networks = build_networks(read_model("name: conditional_dcgan", 50), 7, nullptr);
  const auto generator = named_parameters(*networks.generator);
  const auto discriminator = named_parameters(*networks.discriminator);
  expect_moments(generator.at("l1.0.weight"), 0, 0.02);
  expect_moments(generator.at("conv_blocks.2.weight"), 0, 0.02);
  expect_moments(generator.at("conv_blocks.3.weight"), 1, 0.02);
  expect_moments(generator.at("label_embedding.weight"), 0, 1);
  expect_moments(discriminator.at("model.11.weight"), 0, 0.02);
  expect_moments(discriminator.at("label_projection.weight"), 0, 0.02);
  EXPECT_EQ(generator.at("conv_blocks.3.bias").abs().max().item<double>(), 0);
  EXPECT_EQ(discriminator.at("adv_layer.0.bias").abs().max().item<double>(), 0);
}

/// Expects numbers that PyTorch would draw for a layer with so many inputs.
void expect_uniform(const at::Tensor& parameter, double inputs) {
  const double limit = 1 / std::sqrt(inputs);
  expect_moments(parameter, 0, limit / std::sqrt(3));
  EXPECT_LE(parameter.abs().max().item<double>(), limit);
}

TEST(InitializeDcgan, BeginsAsPytorchsLayers) {
  const auto networks = build_networks(
      read_model("{name: conditional_dcgan, initial_weights: pytorch}", 50), 7, nullptr);
  const auto generator = named_parameters(*networks.generator);
  const auto discriminator = named_parameters(*networks.discriminator);
  expect_uniform(generator.at("l1.0.weight"), 110);
  expect_uniform(generator.at("l1.0.bias"), 110);
  expect_uniform(generator.at("conv_blocks.2.weight"), 128 * 9);
  expect_uniform(generator.at("conv_blocks.2.bias"), 128 * 9);
  expect_moments(generator.at("label_embedding.weight"), 0, 1);
  EXPECT_TRUE(generator.at("conv_blocks.3.weight").eq(1).all().item<bool>());
  EXPECT_TRUE(generator.at("conv_blocks.3.bias").eq(0).all().item<bool>());
  expect_uniform(discriminator.at("adv_layer.0.weight"), 2048);
  expect_moments(discriminator.at("label_projection.weight"), 0, 1);
}

TEST(InitializeDcgan, BeginsAsDcganInConvolutionsAlone) {
  const auto generator = named_parameters(
      *build_generator(read_model("{name: dcgan, initial_weights: convolutions}"), 7, nullptr));
  expect_uniform(generator.at("l1.0.weight"), 100);
  expect_uniform(generator.at("conv_blocks.2.bias"), 128 * 9);
  expect_moments(generator.at("conv_blocks.2.weight"), 0, 0.02);
  expect_moments(generator.at("conv_blocks.3.weight"), 1, 0.02);
  EXPECT_TRUE(generator.at("conv_blocks.3.bias").eq(0).all().item<bool>());
}

TEST(InitializeDcgan, GivesParametersOfTheSameNameTheSameWeightsInBothModels) {
  const auto parameters_of = [](const ModelConfig& config) {
    return named_parameters(*build_generator(config, 7, nullptr));
  };
  const auto plain = parameters_of(read_model("name: dcgan"));
  const auto conditional = parameters_of(read_model("name: conditional_dcgan", 3));
  EXPECT_TRUE(at::equal(plain.at("conv_blocks.6.weight"), conditional.at("conv_blocks.6.weight")));
}

// With N(0, 0.02) it is almost zero, which the gradient penalty of a W-GAN takes long to mend.
TEST(InitializeDcgan, GivesACriticWithoutBatchStatisticsAGradientNearOne) {
  for (const auto* model : {"name: wgan", "{name: conditional_dcgan, batch_norm: frozen}"}) {
    const auto critic = build_networks(read_model(model, 10), 7, nullptr).discriminator;
    critic->eval();
    kernels::RandomStream random({5, 100, 1}, Stream::kDiscriminatorNoise);
    const auto images = numbers({8, 3, 32, 32}, 2).to(at::kFloat).requires_grad_();
    const auto score = critic->forward(images, at::arange(8, at::kLong), random).sum();
    const auto gradient = torch::autograd::grad({score}, {images})[0];
    const double norm = gradient.flatten(1).norm(2, 1).mean().item<double>();
    EXPECT_GT(norm, 0.2) << model;
    EXPECT_LT(norm, 5) << model;
  }
}

}  // namespace
}  // namespace ganscale::models
