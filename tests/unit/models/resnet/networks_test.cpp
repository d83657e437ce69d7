#include "models/resnet/networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

bool is_conditional(const std::string& name) { return name.starts_with("conditional_"); }

Networks make(const std::string& name) {
  const int label_count = is_conditional(name) ? 3 : 0;
  return build_networks(read_model("{name: " + name + ", z_dim: 8}", label_count), 1, nullptr);
}

at::Tensor score(Discriminator& critic, const at::Tensor& images, const at::Tensor& labels) {
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  return critic.forward(images, labels, random);
}

class WganNetworks : public testing::TestWithParam<const char*> {};

TEST_P(WganNetworks, MakeAndJudgeImages) {
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

TEST_P(WganNetworks, DependOnTheLabelWhereTheyAreConditional) {
  if (!is_conditional(GetParam())) GTEST_SKIP() << "not conditional";
  const auto networks = make(GetParam());
  networks.generator->eval();
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto z = at::ones({1, 8}).expand({2, 8});
  const auto images = networks.generator->forward(z, at::arange(2), random);
  EXPECT_FALSE(at::allclose(images[0], images[1]));
}

INSTANTIATE_TEST_SUITE_P(Models, WganNetworks,
                         testing::Values("wgan", "conditional_wgan", "wgan_resnet",
                                         "conditional_wgan_resnet"));

TEST(Resnet, BeginsWithWeightsThatKeepTheVariance) {
  const auto networks = make("wgan_resnet");
  const auto weight = named_parameters(*networks.discriminator).at("block_1.conv_0.weight");
  EXPECT_NEAR(weight.std().item<double>(), std::sqrt(2.0 / (64 * 9)), 0.002);
}

}  // namespace
}  // namespace ganscale::models
