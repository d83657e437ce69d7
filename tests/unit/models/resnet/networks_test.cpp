#include "models/resnet/networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/expect_error.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

bool is_conditional(const std::string& name) { return name.starts_with("conditional_"); }

Networks make(const std::string& name, const std::string& more = "z_dim: 8") {
  const int label_count = is_conditional(name) ? 3 : 0;
  return build_networks(read_model("{name: " + name + ", " + more + "}", label_count), 1, nullptr);
}

std::int64_t parameter_count(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters(network)) count += parameter.numel();
  return count;
}

at::Tensor score(Discriminator& critic, const at::Tensor& images, const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  return critic.forward(images, labels, random);
}

class WganNetworks : public testing::TestWithParam<const char*> {};

TEST_P(WganNetworks, MakeAndScoreImages) {
  const auto networks = make(GetParam());
  const bool conditional = is_conditional(GetParam());
  const auto labels = conditional ? at::arange(3) : at::Tensor();
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto images = networks.generator->forward(at::randn({3, 8}), labels, random);
  EXPECT_EQ(images.sizes(), (std::vector<std::int64_t>{3, 3, 32, 32}));
  EXPECT_LE(images.abs().max().item<double>(), 1);
  EXPECT_EQ(score(*networks.discriminator, images, labels).sizes(), (std::vector<std::int64_t>{3}));
}

// What a gradient penalty of each image needs.
TEST_P(WganNetworks, HaveACriticThatDoesNotMixImages) {
  const auto networks = make(GetParam());
  const auto labels = is_conditional(GetParam()) ? at::zeros({2}, at::kLong) : at::Tensor();
  const auto images = at::rand({2, 3, 32, 32}).requires_grad_();
  const auto logits = score(*networks.discriminator, images, labels);
  const auto gradient = torch::autograd::grad({logits[0]}, {images})[0];
  EXPECT_EQ(gradient[1].abs().max().item<double>(), 0);
  EXPECT_GT(gradient[0].abs().max().item<double>(), 0);
}

TEST(ResidualCritics, ScoreTwoBatchesInOnePassUnlessAPassChangesThem) {
  EXPECT_EQ(make("sngan").discriminator->batch_joining(), BatchJoining::kNone);
  EXPECT_EQ(make("wgan_resnet", "spectral_norm: true").discriminator->batch_joining(),
            BatchJoining::kNone);
  const auto networks = make("conditional_wgan_resnet");
  EXPECT_EQ(networks.discriminator->batch_joining(), BatchJoining::kForSpeed);
  const auto images = at::rand({6, 3, 32, 32});
  const auto labels = at::arange(6).remainder(3);
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  const auto joined = networks.discriminator->score_batches(images, labels, 2, random);
  for (const int first : {0, 3}) {
    const auto alone = score(*networks.discriminator, images.slice(0, first, first + 3),
                             labels.slice(0, first, first + 3));
    EXPECT_TRUE(joined.slice(0, first, first + 3).allclose(alone, 1e-5, 1e-6));
  }
}

TEST_P(WganNetworks, DependOnTheLabelIfConditional) {
  if (!is_conditional(GetParam())) GTEST_SKIP() << "not conditional";
  const auto networks = make(GetParam());
  networks.generator->eval();
  const at::NoGradGuard no_grad;
  for (const auto& [weight_name, weight] : named_parameters(*networks.generator)) {
    weight.add_(at::randn(weight.sizes()).mul(0.1));  // scales of all labels begin with one
  }
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto z = at::ones({1, 8}).expand({2, 8});
  const auto images = networks.generator->forward(z, at::arange(2), random);
  EXPECT_FALSE(at::allclose(images[0], images[1]));
}

INSTANTIATE_TEST_SUITE_P(Models, WganNetworks,
                         testing::Values("wgan", "conditional_wgan", "wgan_resnet",
                                         "conditional_wgan_resnet", "sngan", "conditional_sngan"));

// By hand, from Table 3 of Miyato et al. 2018.
TEST(Sngan, HasAsManyParametersAsTheTableFor32Says) {
  const auto convolution = [](int in, int out, int kernel) {
    return in * out * kernel * kernel + out;
  };
  const std::int64_t up = 2 * 2 * 256 + 2 * convolution(256, 256, 3) + convolution(256, 256, 1);
  const auto networks = make("sngan", "resolution: 32");
  EXPECT_EQ(parameter_count(*networks.generator),
            129 * 256 * 16 + 3 * up + 2 * 256 + convolution(256, 3, 3));

  const std::int64_t kept = 2 * convolution(128, 128, 3);
  const std::int64_t halved = kept + convolution(128, 128, 1);
  const std::int64_t first =
      convolution(3, 128, 3) + convolution(128, 128, 3) + convolution(3, 128, 1);
  EXPECT_EQ(parameter_count(*networks.discriminator), first + halved + 2 * kept + 129);
}

TEST(Sngan, HasATableForEachResolution) {
  for (const int resolution : {32, 64, 128}) {
    const auto size = std::to_string(resolution);
    for (const char* name : {"sngan", "wgan_resnet"}) {
      const auto networks = make(name, "z_dim: 8, channels: 0.125, resolution: " + size);
      kernels::RandomStream random({}, Stream::kGeneratorNoise);
      const auto images = networks.generator->forward(at::randn({1, 8}), {}, random);
      EXPECT_EQ(images.sizes(), (std::vector<std::int64_t>{1, 3, resolution, resolution})) << name;
      EXPECT_EQ(score(*networks.discriminator, images, {}).numel(), 1) << name;
    }
  }
  const auto largest = make("sngan", "channels: 0.125, resolution: 256");
  EXPECT_EQ(named_parameters(*largest.generator).at("to_image.weight").size(1), 32 / 8);
  expect_error(ExitCode::kConfig,
               "run.yaml:1: resolution: sngan supports 32, 64, 128, 256, not 512",
               [] { read_model("{name: sngan, resolution: 512}"); });
}

TEST(ResidualNetworks, HaveWidthsTimesChannels) {
  const auto networks = make("conditional_wgan_resnet", "channels: 0.5, label_networks: generator");
  EXPECT_EQ(named_parameters(*networks.generator).at("first.weight").size(0), 32 * 16);
  const auto critic = named_parameters(*networks.discriminator);
  EXPECT_EQ(critic.at("last.weight").size(1), 32);
  EXPECT_FALSE(critic.contains("label_projection.weight"));
}

// What a 1x1 convolution in the shortcut is moved past: copies of pixels, and means over them.
TEST(UpResidual, AddsTheShortcutOfTheUpsampledInput) {
  resnet::UpResidual block(
      {.in_channels = 2, .channels = 2, .label_count = 0, .has_learned_shortcut = true}, {});
  const at::NoGradGuard no_grad;
  const auto weights = named_parameters(block);
  weights.at("shortcut.weight").copy_(at::randn({2, 2, 1, 1}));
  weights.at("conv_1.bias").fill_(3);  // all that comes through the other branch
  const auto x = at::randn({1, 2, 2, 2});
  const auto large = x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  const auto expected = at::conv2d(large, weights.at("shortcut.weight")).add(3);
  EXPECT_TRUE(at::allclose(block.forward(x, {}), expected, 1e-5, 1e-5));
}

TEST(DownResidual, AddsTheShortcutThenTakesMeans) {
  const resnet::DownResidual block({.in_channels = 2,
                                    .channels = 3,
                                    .halves = true,
                                    .takes_image = false,
                                    .has_learned_shortcut = true});
  const at::NoGradGuard no_grad;
  const auto weights = named_parameters(block);
  for (const auto& [name, weight] : weights) weight.copy_(at::randn(weight.sizes()));
  const auto x = at::randn({1, 2, 4, 4});
  const auto inner =
      at::conv2d(x.relu(), weights.at("conv_0.weight"), weights.at("conv_0.bias"), 1, 1).relu();
  const auto sum =
      at::conv2d(inner, weights.at("conv_1.weight"), weights.at("conv_1.bias"), 1, 1)
          .add(at::conv2d(x, weights.at("shortcut.weight"), weights.at("shortcut.bias")));
  EXPECT_TRUE(at::allclose(block.forward(x), at::avg_pool2d(sum, {2, 2}), 1e-5, 1e-5));
}

TEST(Sngan, HasFiltersWithoutTheScalesOfLabels) {
  const auto networks = make("conditional_sngan");
  for (const auto& [name, filter] : networks.generator->filters()) {
    EXPECT_EQ(name.find("norm"), std::string::npos) << name;
    EXPECT_GE(filter.dim(), 2) << name;
  }
  const auto weights = named_parameters(*networks.generator);
  EXPECT_TRUE(weights.at("block_0.norm_0.weight").equal(at::ones({3, 256})));
}

TEST(Resnet, BeginsWithWeightsThatKeepTheVariance) {
  const auto networks = make("wgan_resnet");
  const auto weight = named_parameters(*networks.discriminator).at("block_1.conv_0.weight");
  EXPECT_NEAR(weight.std().item<double>(), std::sqrt(2.0 / (64 * 9)), 0.002);
}

}  // namespace
}  // namespace ganscale::models
