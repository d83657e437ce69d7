#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <array>

#include "models/build_model.h"
#include "support/expect_error.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

struct Family {
  const char* name;
  const char* keys;
};

constexpr std::array kFamilies = {
    Family{"dcgan", "name: dcgan, channels: 0.125"},
    Family{"stylegan2",
           "name: stylegan2, z_dim: 8, w_dim: 8, mapping_layers: 2, channel_base: 128, "
           "channel_max: 8"},
    Family{"stylegan3",
           "name: stylegan3, z_dim: 8, w_dim: 8, channel_base: 128, channel_max: 8, layers: 4, "
           "first_stopband: 4, margin: 4"},
    Family{"r3gan", "name: r3gan, z_dim: 8, channel_max: 16"}};

Networks networks_of(const Family& family, const std::string& resolution) {
  return build_networks(
      read_model("{" + std::string(family.keys) + ", resolution: " + resolution + "}"), 1, nullptr);
}

at::Tensor images_of(Generator& generator) {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  const auto z = random.normal({2, generator.z_dim()}, at::kFloat);
  return generator.forward(z, {}, random);
}

class ModelOfAnyAspectRatio : public testing::TestWithParam<Family> {};

TEST_P(ModelOfAnyAspectRatio, MakesAndScoresImages) {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({1, 0, 1}, Stream::kDiscriminatorNoise);
  for (const auto& [text, height, width] :
       {std::tuple("[32, 64]", 32, 64), std::tuple("[128, 32]", 128, 32)}) {
    const Networks networks = networks_of(GetParam(), text);
    const auto images = images_of(*networks.generator);
    EXPECT_EQ(images.sizes(), at::IntArrayRef({2, 3, height, width}));
    EXPECT_TRUE(images.isfinite().all().item<bool>());
    const auto scores = networks.discriminator->forward(images, {}, random);
    EXPECT_EQ(scores.sizes(), at::IntArrayRef({2}));
  }
}

// What a resolution adds is in the first features of G and the last ones of D, not in the layers.
TEST_P(ModelOfAnyAspectRatio, HasTheLayersOfTheSquareOfItsShorterSide) {
  const Networks square = networks_of(GetParam(), "32");
  const Networks wide = networks_of(GetParam(), "[32, 64]");
  const auto names = [](const torch::nn::Module& network) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : named_state(network)) {
      // StyleGAN3's layers are named by the widths of their results.
      names.push_back(name.substr(name.starts_with("synthesis.L") ? name.rfind('.') : 0));
    }
    return names;
  };
  EXPECT_EQ(names(*wide.generator), names(*square.generator));
  EXPECT_EQ(names(*wide.discriminator), names(*square.discriminator));
}

TEST_P(ModelOfAnyAspectRatio, MakesTheImagesOfASquareWrittenAsOne) {
  EXPECT_TRUE(images_of(*networks_of(GetParam(), "[32, 32]").generator)
                  .equal(images_of(*networks_of(GetParam(), "32").generator)));
}

INSTANTIATE_TEST_SUITE_P(Families, ModelOfAnyAspectRatio, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ReadResolution, RefusesOthersAndNamesTheNearest) {
  const auto expect = [](const std::string& message, const std::string& yaml) {
    expect_error(ExitCode::kConfig, "resolution: " + message, [&] { read_model(yaml); });
  };
  expect("stylegan2 supports the powers of two from 8 to 1024, not 48 (nearest: 32, 64)",
         "{name: stylegan2, resolution: 48}");
  expect(
      "r3gan supports the powers of two from 8 to 1024, not 48x100 (nearest: 32x64, 32x128, 64, "
      "64x128)",
      "{name: r3gan, resolution: [48, 100]}");
  expect("dcgan supports the powers of two from 32 to 256, not 32x2048 (nearest: 32x256)",
         "{name: dcgan, resolution: [32, 2048]}");
  expect("stylegan3 supports the powers of two from 16 to 1024, not 8x16 (nearest: 16)",
         "{name: stylegan3, resolution: [8, 16]}");
  expect("biggan supports squares of the powers of two from 32 to 1024, not 32x64 (nearest: 32)",
         "{name: biggan, resolution: [32, 64]}");
  expect("sngan supports 32, 64, 128, 256, not 32x64", "{name: sngan, resolution: [32, 64]}");
}

}  // namespace
}  // namespace ganscale::models
