#include "models/build_model.h"

#include "support/expect_error.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

std::int64_t parameter_count(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters(network)) count += parameter.numel();
  return count;
}

ModelConfig config_of(const std::string& name, int resolution, int label_count) {
  return read_model("{name: " + name + ", resolution: " + std::to_string(resolution) + "}",
                    label_count);
}

TEST(ParseModel, ReadsWhatAllModelsHaveAndWhatThisOneHas) {
  const auto plain = read_model("{}");
  EXPECT_EQ(plain.name, "dcgan");
  EXPECT_EQ(plain.resolution, 32);
  const auto c = read_model("{name: conditional_dcgan, resolution: 64, z_dim: 12}", 2);
  EXPECT_EQ(c.name, "conditional_dcgan");
  EXPECT_EQ(c.resolution, 64);
  EXPECT_EQ(read_model("{resolution: [64, 128]}").resolution, Resolution(64, 128));
  EXPECT_EQ(build_generator(c, 1, nullptr)->z_dim(), 12);
}

TEST(ParseModel, RefusesImpossibleValuesAtTheirKey) {
  const auto expect = [](const std::string& message, const std::string& yaml) {
    expect_error(ExitCode::kConfig, message, [&] { read_model(yaml); });
  };
  expect("run.yaml:2: resolution: dcgan supports the powers of two from 32 to 256, not 48",
         "name: dcgan\nresolution: 48\n");
  expect("run.yaml:1: unknown key: width", "width: 1\n");
  expect("run.yaml:1: z_dim: must be 1 to 8192: 0", "z_dim: 0\n");
  expect("run.yaml:1: z_dim: must be 1 to 8192: 2000000", "z_dim: 2000000\n");
  expect(
      "run.yaml:1: name: expected one of [dcgan, conditional_dcgan, wgan, conditional_wgan, "
      "wgan_resnet, conditional_wgan_resnet, sngan, conditional_sngan, stylegan2, stylegan3, "
      "r3gan, biggan, "
      "biggan_deep]: vae",
      "name: vae\n");
  expect("run.yaml:1: batch_norm: expected one of", "batch_norm: global\n");
  expect("run.yaml:1: unknown key: resolutoin", "resolutoin: 32\n");
}

TEST(BuildNetworks, RefusesAConditionalModelWithoutLabels) {
  expect_error(ExitCode::kConfig, "model.name: conditional_dcgan needs labels",
               [] { build_networks(config_of("conditional_dcgan", 32, 0), 1, nullptr); });
}

TEST(BuildNetworks, IgnoresLabelsThatTheModelDoesNotTake) {
  const auto networks = build_networks(config_of("dcgan", 32, 10), 1, nullptr);
  EXPECT_EQ(networks.generator->label_count(), 0);
  EXPECT_EQ(networks.discriminator->label_count(), 0);
}

// By hand, from the tables of dcgan/networks.h at 32x32 with three channels.
TEST(BuildNetworks, HasAsManyParametersAsTheTablesSay) {
  const std::int64_t linear = 100 * 8192 + 8192;
  const std::int64_t norms = 2 * (128 + 128 + 64);
  const std::int64_t convolutions = (128 * 128 * 9 + 128) + (128 * 64 * 9 + 64) + (64 * 3 * 9 + 3);
  const auto plain = build_networks(config_of("dcgan", 32, 0), 1, nullptr);
  EXPECT_EQ(parameter_count(*plain.generator), linear + norms + convolutions);

  const std::int64_t discriminator_parameters = (3 * 16 * 9 + 16) + (16 * 32 * 9 + 32) +
                                                (32 * 64 * 9 + 64) + (64 * 128 * 9 + 128) +
                                                2 * (32 + 64 + 128) + (2048 + 1);
  EXPECT_EQ(parameter_count(*plain.discriminator), discriminator_parameters);

  const auto conditional = build_networks(config_of("conditional_dcgan", 32, 7), 1, nullptr);
  EXPECT_EQ(parameter_count(*conditional.generator),
            linear + norms + convolutions + 10 * 8192 + 7 * 10);
  EXPECT_EQ(parameter_count(*conditional.discriminator), discriminator_parameters + 7 * 2048);
}

// Twice the size: the output of the linear layer is 128 x 16 x 16, and nothing else changes.
TEST(BuildNetworks, OnlyTheLinearLayerGrowsAt64) {
  const auto small = build_networks(config_of("dcgan", 32, 0), 1, nullptr);
  const auto large = build_networks(config_of("dcgan", 64, 0), 1, nullptr);
  EXPECT_EQ(parameter_count(*large.generator) - parameter_count(*small.generator),
            101 * (32768 - 8192));
  EXPECT_EQ(parameter_count(*large.discriminator), parameter_count(*small.discriminator));
}

// As in the public implementation: the linear layers grow with the image.
TEST(BuildNetworks, LinearLayersGrowBeyond64) {
  const auto small = build_networks(config_of("dcgan", 64, 0), 1, nullptr);
  const auto large = build_networks(config_of("dcgan", 256, 0), 1, nullptr);
  EXPECT_EQ(parameter_count(*large.generator) - parameter_count(*small.generator),
            101 * 128 * (64 * 64 - 16 * 16));
  EXPECT_EQ(parameter_count(*large.discriminator) - parameter_count(*small.discriminator),
            128 * (16 * 16 - 4 * 4));
  const auto images = at::zeros({2, 3, 256, 256});
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  EXPECT_EQ(large.discriminator->forward(images, {}, random).numel(), 2);
}

TEST(HasMixingCritic, IsTrueIfABatchNormUsesTheMomentsOfTheBatch) {
  const auto mixes = [](const std::string& yaml) {
    return read_model(yaml).blueprint->has_mixing_critic();
  };
  EXPECT_TRUE(mixes("name: dcgan"));
  EXPECT_TRUE(mixes("{name: conditional_dcgan, batch_norm: synchronized}"));
  EXPECT_FALSE(mixes("{name: dcgan, batch_norm: frozen}"));
  for (const char* name : {"wgan", "conditional_wgan", "wgan_resnet"}) {
    EXPECT_FALSE(mixes(std::string("name: ") + name));
  }
}

TEST(ComputeInFloat32, ChangesOnlyModelsWithALowPrecisionType) {
  auto c = read_model("name: stylegan2");
  c.compute_in_float32();
  EXPECT_EQ(c.low_precision_type, std::nullopt);
  c.low_precision_type = at::kHalf;
  c.compute_in_float32();
  EXPECT_EQ(c.low_precision_type, at::kFloat);
}

TEST(TakesLabels, FollowsTheModelTable) {
  EXPECT_FALSE(takes_labels(read_model("name: dcgan")));
  EXPECT_TRUE(takes_labels(read_model("name: conditional_dcgan")));
  EXPECT_FALSE(takes_labels(read_model("name: stylegan2")));
  EXPECT_TRUE(takes_labels(read_model("{name: stylegan2, conditional: true}")));
}

}  // namespace
}  // namespace ganscale::models
