#include "models/biggan/networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models::biggan {
namespace {

constexpr int kLabels = 3;

Networks make(const std::string& name, const std::string& more = "") {
  return build_networks(read_model("{name: " + name +
                                       ", generator_channels: 4, discriminator_channels: 4, "
                                       "shared_dim: 5" +
                                       more + "}",
                                   kLabels),
                        1, nullptr);
}

at::Tensor images_of(Generator& generator, const at::Tensor& z, const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  return generator.forward(z, labels, random);
}

at::Tensor score(Discriminator& discriminator, const at::Tensor& images, const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  return discriminator.forward(images, labels, random);
}

class Biggan : public testing::TestWithParam<const char*> {};

TEST_P(Biggan, MakesAndScoresImages) {
  for (const char* resolution : {"32", "64"}) {
    const auto networks = make(GetParam(), std::string(", resolution: ") + resolution);
    const auto z = at::randn({kLabels, networks.generator->z_dim()});
    const auto images = images_of(*networks.generator, z, at::arange(kLabels));
    const std::int64_t size = std::stoi(resolution);
    EXPECT_EQ(images.sizes(), (std::vector<std::int64_t>{kLabels, 3, size, size}));
    EXPECT_LE(images.abs().max().item<double>(), 1);
    EXPECT_EQ(score(*networks.discriminator, images, at::arange(kLabels)).sizes(),
              (std::vector<std::int64_t>{kLabels}));
  }
}

TEST_P(Biggan, DependsOnTheLabelInBothNetworks) {
  const auto networks = make(GetParam());
  networks.generator->eval();
  networks.discriminator->eval();
  const auto z = at::ones({1, networks.generator->z_dim()}).expand({2, -1});
  const auto images = images_of(*networks.generator, z, at::arange(2));
  EXPECT_FALSE(at::allclose(images[0], images[1]));
  const auto scores =
      score(*networks.discriminator, images[0].expand({2, -1, -1, -1}), at::arange(2));
  EXPECT_NE(scores[0].item<double>(), scores[1].item<double>());
}

TEST_P(Biggan, AveragesRunningStatisticsAlone) {
  const auto networks = make(GetParam());
  const auto moving = networks.generator->moving_statistics();
  EXPECT_TRUE(moving.contains("output_layer.0.stored_mean"));
  EXPECT_TRUE(moving.contains("blocks.0.0.bn1.stored_var"));
  for (const auto& [name, tensor] : moving) EXPECT_FALSE(name.ends_with("u0")) << name;
  EXPECT_TRUE(networks.discriminator->moving_statistics().empty());
}

TEST_P(Biggan, BeginsWithOrthogonalWeights) {
  for (const auto& [name, parameter] : named_parameters(*make(GetParam()).discriminator)) {
    if (!name.ends_with("weight")) continue;
    const auto matrix = parameter.flatten(1);
    const auto gram =
        matrix.size(0) < matrix.size(1) ? matrix.mm(matrix.t()) : matrix.t().mm(matrix);
    EXPECT_TRUE(at::allclose(gram, at::eye(gram.size(0)), 0, 1e-5)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Biggan, testing::Values("biggan", "biggan_deep"));

// z has four parts of two numbers: the first one enters at 4x4, the last at 32x32.
TEST(BigganGenerator, GivesEachResolutionItsPartOfZ) {
  const auto networks = make("biggan", ", z_dim: 8");
  const auto parameters = named_parameters(*networks.generator);
  EXPECT_EQ(parameters.at("linear.weight").size(1), 2);
  EXPECT_EQ(parameters.at("blocks.2.0.bn2.gain.weight").size(1), 5 + 2);
  const auto flat = named_parameters(*make("biggan", ", z_dim: 8, hierarchical: false").generator);
  EXPECT_EQ(flat.at("linear.weight").size(1), 8);
  EXPECT_EQ(flat.at("blocks.2.0.bn2.gain.weight").size(1), 5);
}

TEST(BigganGenerator, DeepFeedsAllOfZToEveryStage) {
  const auto parameters = named_parameters(*make("biggan_deep", ", z_dim: 7").generator);
  EXPECT_EQ(parameters.at("linear.weight").size(1), 5 + 7);
  EXPECT_EQ(parameters.at("blocks.2.1.bn4.bias.weight").size(1), 5 + 7);
}

// The names of the public implementation; at 32x32 all of D's stages have attention.
TEST(BigganNetworks, HaveTheNamesOfThePublicImplementation) {
  const auto networks = make("biggan");
  const auto generator = named_state(*networks.generator);
  for (const char* name :
       {"shared.weight", "linear.u0", "blocks.1.0.bn1.gain.sv0", "blocks.1.1.gamma",
        "blocks.2.0.conv_sc.bias", "output_layer.0.gain", "output_layer.2.weight"}) {
    EXPECT_TRUE(generator.contains(name)) << name;
  }
  const auto discriminator = named_state(*networks.discriminator);
  for (const char* name : {"blocks.0.0.conv_sc.u0", "blocks.3.1.theta.weight", "embed.sv0"}) {
    EXPECT_TRUE(discriminator.contains(name)) << name;
  }
  EXPECT_FALSE(discriminator.contains("blocks.2.0.conv_sc.weight"));
  EXPECT_FALSE(discriminator.contains("blocks.0.1.theta.bias"));
}

}  // namespace
}  // namespace ganscale::models::biggan
