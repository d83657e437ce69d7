#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cost/recorder.h"
#include "models/stylegan/discriminator.h"
#include "models/stylegan/initial_weights.h"
#include "models/stylegan2/blueprint.h"
#include "models/stylegan2/generator.h"
#include "support/expect_error.h"
#include "tensors/move_module.h"

namespace ganscale::models::stylegan2 {
namespace {

using stylegan::Architecture;
using stylegan::StyleganDiscriminator;

NetworkConfig tiny(int resolution) {
  NetworkConfig config{
      {.resolution = resolution, .channel_base = 64, .channel_max = 8, .stddev_group = 2}};
  config.z_dim = config.w_dim = 8;
  config.mapping_layers = 2;
  return config;
}

struct Networks {
  explicit Networks(const NetworkConfig& config) : generator(config), discriminator(config) {
    initialize_generator(generator, 5);
    stylegan::initialize_weights(discriminator, "discriminator", 5);
  }
  at::Tensor generate(std::int64_t count, const at::Tensor& labels = {}) {
    const auto z = kernels::random_normal({1, 0, 1}, Stream::kSamples, 0,
                                          {count, generator.z_dim()}, at::kFloat);
    kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
    return generator.forward(z, labels, random);
  }
  at::Tensor score(const at::Tensor& images, const at::Tensor& labels = {}) {
    kernels::RandomStream random({1, 0, 1}, Stream::kDiscriminatorNoise);
    return discriminator.forward(images, labels, random);
  }
  StyleganGenerator generator;
  StyleganDiscriminator discriminator;
};

double millions_of_parameters(const torch::nn::Module& network) {
  double count = 0;
  for (const auto& parameter : network.parameters())
    count += static_cast<double>(parameter.numel());
  return count / 1e6;
}

/// Networks on a device without memory, which takes a GPU's path.
struct PreparedNetworks : Networks {
  explicit PreparedNetworks(at::ScalarType low_precision = at::kBFloat16)
      : Networks([&] {
          NetworkConfig config = tiny(16);
          config.low_precision_resolutions = 8;
          config.low_precision_type = low_precision;
          return config;
        }()) {
    move_module(generator, at::kMeta, at::kFloat);
    move_module(discriminator, at::kMeta, at::kFloat);
  }

  /// Returns how many launches prepare weights for a pass of both.
  std::ptrdiff_t preparations() {
    cost::Recorder recorder;
    kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
    discriminator.forward(
        generator.forward(at::empty({2, generator.z_dim()}, at::kMeta), {}, random), {}, random);
    return std::ranges::count_if(recorder.take(), [](const cost::Operation& operation) {
      return operation.name == "ganscale::scaled_copies" ||
             operation.name == "ganscale::weight_energies";
    });
  }
};

TEST(Stylegan2, OnAGpuPreparesWeightsOnceUntilTheyChange) {
  PreparedNetworks networks;
  // Of G: mapping, affine layers, weights in bf16, their energies, those in float32; of D: a type each.
  EXPECT_EQ(networks.preparations(), 7);
  EXPECT_EQ(networks.preparations(), 0);
  const at::NoGradGuard no_grad;
  named_state(networks.discriminator).at("b16.conv0.weight").add_(1);
  EXPECT_EQ(networks.preparations(), 1);
  named_state(networks.generator).at("synthesis.b8.conv0.weight").add_(1);
  EXPECT_EQ(networks.preparations(), 2);
}

TEST(Stylegan2, PreparesAllWeightsAheadOfAPass) {
  PreparedNetworks networks;
  networks.generator.prepare_weights();
  networks.discriminator.prepare_weights();
  EXPECT_EQ(networks.preparations(), 0);
}

// They are scaled by each pass before.
TEST(Stylegan2, InFloat16CopiesItsConvolutionsWeightsForEachPass) {
  PreparedNetworks networks(at::kHalf);
  networks.preparations();
  EXPECT_EQ(networks.preparations(), 3);  // and two of energies
}

TEST(Stylegan2, InFloat16PreparesNothingThatThePassComputesItself) {
  PreparedNetworks networks(at::kHalf);
  networks.generator.prepare_weights();
  cost::Recorder recorder;
  networks.generator.prepare_weights();
  EXPECT_TRUE(recorder.take().empty());
}

// The counts of the reference networks at 256x256.
TEST(Stylegan2, HasAsManyParametersAsTheReference) {
  const NetworkConfig config_f{{.resolution = 256}};
  EXPECT_NEAR(millions_of_parameters(StyleganGenerator(config_f)), 30.0, 0.05);
  EXPECT_NEAR(millions_of_parameters(StyleganDiscriminator(config_f)), 28.9, 0.05);
  const NetworkConfig paper256{{.resolution = 256, .channel_base = 16384}};
  EXPECT_NEAR(millions_of_parameters(StyleganGenerator(paper256)), 24.8, 0.05);
  EXPECT_NEAR(millions_of_parameters(StyleganDiscriminator(paper256)), 24.0, 0.05);
}

TEST(Stylegan2, MakesAndScoresEveryKindOfImage) {
  for (const int resolution : {8, 16, 64}) {
    for (const auto architecture :
         {Architecture::kResnet, Architecture::kSkip, Architecture::kOrig}) {
      for (const int channels : {1, 3}) {
        NetworkConfig config = tiny(resolution);
        config.architecture = architecture;
        config.channels = channels;
        config.label_count = channels == 1 ? 5 : 0;
        Networks networks(config);
        const auto labels = channels == 1 ? at::tensor({0, 1, 4, 2}, at::kLong) : at::Tensor();
        const auto images = networks.generate(4, labels);
        EXPECT_EQ(images.sizes(), (std::vector<std::int64_t>{4, channels, resolution, resolution}));
        const auto logits = networks.score(images, labels);
        EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{4}));
        EXPECT_TRUE(logits.isfinite().all().item<bool>());
      }
    }
  }
}

TEST(Stylegan2, BothNetworksDependOnTheLabel) {
  NetworkConfig config = tiny(8);
  config.label_count = 3;
  Networks networks(config);
  const auto zeros = at::zeros({4}, at::kLong);
  const auto images = networks.generate(4, zeros);
  EXPECT_FALSE(at::allclose(images, networks.generate(4, zeros + 1)));
  EXPECT_FALSE(at::allclose(networks.score(images, zeros), networks.score(images, zeros + 1)));
}

TEST(Stylegan2, MixesTheStylesOfItsShareOfTheImages) {
  Networks networks(tiny(16));  // 6 style vectors
  const auto z = at::randn({1000, 8});
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  const Latents latents = networks.generator.draw(z, {}, random);
  const auto mixed = latents.crossover.lt(6);
  EXPECT_NEAR(mixed.to(at::kDouble).mean().item<double>(), 0.9, 5 * std::sqrt(0.09 / 1000));
  EXPECT_EQ(latents.crossover.min().item<std::int64_t>(), 1);
  const auto w = networks.generator.map_for_training(latents);
  const auto row = mixed.nonzero()[0].item<std::int64_t>();
  const auto place = latents.crossover[row].item<std::int64_t>();
  EXPECT_TRUE(w[row][0].equal(w[row][place - 1]));
  EXPECT_FALSE(w[row][0].equal(w[row][place]));
}

TEST(Stylegan2, TracksTheMeanStyleInTrainingOnly) {
  Networks networks(tiny(8));
  const auto average = networks.generator.moving_statistics().at("mapping.w_avg");
  networks.generator.eval();
  networks.generate(4);
  EXPECT_TRUE(average.eq(0).all().item<bool>());
  networks.generator.train();
  networks.generate(4);
  EXPECT_FALSE(average.eq(0).all().item<bool>());
}

TEST(Stylegan2, WithBetaZeroTracksTheLastBatchAlone) {
  NetworkConfig config = tiny(8);
  config.w_average_beta = 0;
  Networks networks(config);
  networks.generate(4);
  const Latents latents{.z = at::randn({3, 8})};
  const auto w = networks.generator.map_for_training(latents).select(1, 0);
  const auto average = networks.generator.moving_statistics().at("mapping.w_avg");
  EXPECT_TRUE(at::allclose(average, w.mean(0)));
}

TEST(Stylegan2, FullTruncationGivesTheMeanStyle) {
  Networks networks(tiny(8));
  networks.generate(4);
  const auto average = networks.generator.moving_statistics().at("mapping.w_avg");
  const auto w = networks.generator.map(at::randn({2, 8}), {}, {.psi = 0, .cutoff = 3});
  EXPECT_TRUE(at::allclose(w[1][2], average));
  EXPECT_FALSE(at::allclose(w[1][3], average));
}

TEST(Stylegan2, InEvalModeMakesTheSameImageAgain) {
  Networks networks(tiny(8));
  networks.generator.eval();
  EXPECT_TRUE(networks.generate(3).equal(networks.generate(3)));
}

// One image takes the path with per-image weights, several the one with scaled features.
TEST(Stylegan2, AnImageDoesNotDependOnItsBatch) {
  const at::NoGradGuard no_grad;
  Networks networks(tiny(16));
  networks.generator.eval();
  EXPECT_TRUE(at::allclose(networks.generate(3)[0], networks.generate(1)[0], 1e-4, 1e-5));
}

TEST(Stylegan2, InBfloat16StaysNearFloat32) {
  NetworkConfig config = tiny(32);
  Networks wide(config);
  config.low_precision_resolutions = 2;
  config.low_precision_type = at::kBFloat16;
  Networks narrow(config);
  wide.generator.eval();
  narrow.generator.eval();
  const auto images = wide.generate(4);
  const auto narrow_images = narrow.generate(4);
  EXPECT_EQ(narrow_images.scalar_type(), at::kFloat);
  EXPECT_FALSE(images.equal(narrow_images));
  EXPECT_LT((images - narrow_images).norm().item<double>(), 0.03 * images.norm().item<double>());
  const auto logits = wide.score(images);
  EXPECT_LT((logits - narrow.score(images)).norm().item<double>(),
            0.05 * logits.norm().item<double>());
}

}  // namespace
}  // namespace ganscale::models::stylegan2
