#include "models/r3gan/networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/plain_numbers.h"
#include "support/thorough.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models::r3gan {
namespace {

constexpr const char* kTiny =
    "{name: r3gan, conditional: true, resolution: 16, z_dim: 5, label_dim: 3, score_label_dim: 6, "
    "widths: [12, 8, 8], cardinality: [3, 2, 4], blocks: [1, 2, 1]}";
constexpr int kLabels = 3;

/// Networks whose blocks are not identities: at the first step no layer gets a gradient.
Networks tiny_networks(std::optional<at::ScalarType> low_precision_type = {}) {
  ModelConfig config = read_model(kTiny, kLabels);
  config.low_precision_type = low_precision_type;
  Networks networks = build_networks(config, 1, nullptr);
  const at::NoGradGuard no_grad;
  for (const torch::nn::Module* network :
       {static_cast<torch::nn::Module*>(networks.generator.get()),
        static_cast<torch::nn::Module*>(networks.discriminator.get())}) {
    for (const auto& [name, parameter] : named_parameters(*network)) {
      const bool is_zero = name.ends_with("Bias") || name.find("Layer3") != std::string::npos;
      if (is_zero) parameter.copy_(numbers(parameter.sizes(), 1).mul(0.3));
    }
  }
  return networks;
}

at::Tensor scores_of(Discriminator& discriminator, const at::Tensor& images,
                     const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  return discriminator.forward(images, labels, random);
}

at::Tensor images_of(Generator& generator, const at::Tensor& z, const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  return generator.forward(z, labels, random);
}

std::int64_t parameter_count(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters(network)) count += parameter.numel();
  return count;
}

void expect_parameters(const std::string& keys, int label_count, std::int64_t generator,
                       std::int64_t discriminator) {
  const ModelConfig config = read_model("{name: r3gan, " + keys + "}", label_count);
  const Networks networks = build_networks(config, /*seed=*/std::nullopt, nullptr);
  EXPECT_EQ(parameter_count(*networks.generator), generator) << keys;
  EXPECT_EQ(parameter_count(*networks.discriminator), discriminator) << keys;
}

// Huang et al. 2024, Table 2: 23,058 thousand parameters of G for FFHQ at 256x256; all others are
// sums over the layers by hand.
TEST(R3gan, HasAsManyParametersAsPublished) {
  expect_parameters("resolution: 32, conditional: true", 10, 20'781'952, 21'280'512);
  expect_parameters("resolution: 64", 0, 22'429'824, 22'381'440);
  expect_parameters("resolution: 256", 0, 23'057'952, 23'009'568);
}

TEST(R3gan, HasAsManyParametersForImagenetAsPublished) {
  if (!is_thorough()) GTEST_SKIP() << "networks of 0.8 GB: make check-long runs it";
  const std::string wide =
      "conditional: true, channel_base: 98304, channel_max: 1536, group_channels: 32, resolution: ";
  expect_parameters(wide + "32", 1000, 82'914'304, 86'548'992);
  expect_parameters(wide + "64", 1000, 103'570'432, 107'205'120);
}

TEST(R3gan, MakesAndScoresImages) {
  const Networks networks = tiny_networks();
  const auto labels = at::tensor({0, 2, 1}, at::kLong);
  const auto z = numbers({3, 5}, 1).to(at::kFloat);
  const auto images = images_of(*networks.generator, z, labels);
  EXPECT_EQ(images.sizes(), at::IntArrayRef({3, 3, 16, 16}));
  EXPECT_EQ(scores_of(*networks.discriminator, images, labels).sizes(), at::IntArrayRef({3}));
}

TEST(R3gan, MakesAndScoresImagesOfTheirLabelsAlone) {
  const Networks networks = tiny_networks();
  const auto z = numbers({2, 5}, 1).to(at::kFloat);
  const auto of_label = [&](std::int64_t label) {
    return images_of(*networks.generator, z, at::full({2}, label, at::kLong));
  };
  const auto images = of_label(0);
  EXPECT_FALSE(at::allclose(images, of_label(1), 0, 1e-4));
  const auto one = scores_of(*networks.discriminator, images, at::tensor({0, 1}, at::kLong));
  const auto other = scores_of(*networks.discriminator, images, at::tensor({0, 2}, at::kLong));
  EXPECT_EQ(one[0].item<float>(), other[0].item<float>());
  EXPECT_NE(one[1].item<float>(), other[1].item<float>());
}

TEST(R3gan, MakesTheSameImagesOfLibtorchsOperators) {
  const Networks networks = tiny_networks();
  const auto z = numbers({2, 5}, 1).to(at::kFloat);
  const auto labels = at::tensor({2, 0}, at::kLong);
  EXPECT_TRUE(at::allclose(networks.generator->traceable_forward(z, labels),
                           images_of(*networks.generator, z, labels), 0, 1e-5));
}

TEST(R3gan, ScoresJoinedBatchesAsEachByItself) {
  const Networks networks = tiny_networks();
  Discriminator& discriminator = *networks.discriminator;
  EXPECT_EQ(discriminator.batch_joining(), BatchJoining::kForSpeed);
  const auto images = numbers({4, 3, 16, 16}, 1).to(at::kFloat);
  const auto labels = at::tensor({0, 1, 2, 0}, at::kLong);
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  const auto joined = discriminator.score_batches(images, labels, 2, random);
  const auto apart =
      at::cat({scores_of(discriminator, images.slice(0, 0, 2), labels.slice(0, 0, 2)),
               scores_of(discriminator, images.slice(0, 2), labels.slice(0, 2))});
  EXPECT_TRUE(at::allclose(joined, apart, 1e-5, 1e-5));
}

// The stages from 8x8 on round to 8 bits of a number.
TEST(R3gan, ComputesItsHighStagesInBf16AndGivesFloat32) {
  const Networks exact = tiny_networks();
  const Networks low = tiny_networks(at::kBFloat16);
  const auto z = numbers({4, 5}, 1).to(at::kFloat);
  const auto labels = at::tensor({0, 1, 2, 0}, at::kLong);
  const auto images = images_of(*exact.generator, z, labels);
  const auto rounded = images_of(*low.generator, z, labels);
  EXPECT_EQ(rounded.scalar_type(), at::kFloat);
  const auto error = [](const at::Tensor& of, const at::Tensor& truth) {
    return (of - truth).norm().item<double>() / truth.norm().item<double>();
  };
  EXPECT_GT(error(rounded, images), 1e-4);
  EXPECT_LT(error(rounded, images), 0.05);
  const auto scores = scores_of(*low.discriminator, images, labels);
  EXPECT_EQ(scores.scalar_type(), at::kFloat);
  EXPECT_LT(error(scores, scores_of(*exact.discriminator, images, labels)), 0.05);
}

double deviation(const at::Tensor& weight) { return weight.std().item<double>(); }

// Eight blocks; a layer inside them takes 192 channels, or 16 of a group and nine positions.
TEST(R3gan, BeginsAsThePublicImplementation) {
  const auto config = read_model("{name: r3gan, conditional: true, channel_max: 192}", 10);
  const Networks networks = build_networks(config, 1, nullptr);
  const auto G = named_parameters(*networks.generator);
  const auto D = named_parameters(*networks.discriminator);
  const double inside = std::sqrt(2 / 1.04) * std::pow(8, -0.25);
  const std::string block = "Model.MainLayers.2.Layers.1.";
  const auto expect = [](const at::Tensor& weight, double expected, double share) {
    EXPECT_NEAR(deviation(weight), expected, share * expected);
  };
  expect(G.at(block + "LinearLayer1.Layer.weight"), inside / std::sqrt(192), 0.02);
  expect(G.at(block + "LinearLayer2.Layer.weight"), inside / std::sqrt(16 * 9), 0.02);
  EXPECT_EQ(G.at(block + "LinearLayer3.Layer.weight").abs().max().item<double>(), 0);
  EXPECT_EQ(G.at(block + "NonLinearity1.Bias").abs().max().item<double>(), 0);
  expect(G.at("Model.MainLayers.0.Layers.0.Basis"), 1, 0.05);
  expect(G.at("Model.MainLayers.0.Layers.0.LinearLayer.weight"), 1 / std::sqrt(128), 0.02);
  expect(G.at("Model.EmbeddingLayer.weight"), 1 / std::sqrt(10), 0.1);
  expect(G.at("Model.AggregationLayer.Layer.weight"), 1 / std::sqrt(192), 0.1);
  expect(D.at("Model.MainLayers.3.Layers.2.Basis.weight"), 0.25, 0.05);
  expect(D.at("Model.MainLayers.3.Layers.2.LinearLayer.weight"), 1 / std::sqrt(192), 0.02);
  expect(D.at("Model.EmbeddingLayer.weight"), 1 / std::sqrt(10 * 192), 0.05);
}

}  // namespace
}  // namespace ganscale::models::r3gan
