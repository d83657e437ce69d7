#include "models/stylegan/discriminator.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "models/stylegan/initial_weights.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan {
namespace {

DiscriminatorConfig small_critic(Architecture architecture) {
  return {.resolution = 16,
          .channel_base = 64,
          .channel_max = 4,
          .architecture = architecture,
          .stddev_group = 2};
}

at::Tensor images(std::int64_t count) {
  return at::arange(count * 3 * 16 * 16, at::kFloat).mul(0.13).sin().view({count, 3, 16, 16});
}

struct Critic {
  explicit Critic(const DiscriminatorConfig& config) : discriminator(config) {
    initialize_weights(discriminator, "discriminator", 5);
  }
  at::Tensor score(const at::Tensor& x, const at::Tensor& labels = {}) {
    kernels::RandomStream random({1, 0, 1}, Stream::kDiscriminatorNoise);
    return discriminator.forward(x, labels, random);
  }
  bool has(const std::string& name) const { return named_state(discriminator).contains(name); }

  StyleganDiscriminator discriminator;
};

TEST(StyleganDiscriminator, HasTheLayersOfItsArchitecture) {
  const Critic resnet(small_critic(Architecture::kResnet));
  EXPECT_TRUE(resnet.has("b16.fromrgb.weight"));
  EXPECT_TRUE(resnet.has("b16.skip.weight"));
  EXPECT_FALSE(resnet.has("b8.fromrgb.weight"));
  EXPECT_FALSE(resnet.has("b4.fromrgb.weight"));
  const Critic skip(small_critic(Architecture::kSkip));
  EXPECT_TRUE(skip.has("b8.fromrgb.weight"));
  EXPECT_TRUE(skip.has("b4.fromrgb.weight"));
  EXPECT_FALSE(skip.has("b16.skip.weight"));
  const Critic orig(small_critic(Architecture::kOrig));
  EXPECT_TRUE(orig.has("b16.fromrgb.weight"));
  EXPECT_FALSE(orig.has("b8.fromrgb.weight"));
  EXPECT_FALSE(orig.has("b16.skip.weight"));
}

class EveryArchitecture : public testing::TestWithParam<Architecture> {};

TEST_P(EveryArchitecture, ScoresAnImageEach) {
  Critic network(small_critic(GetParam()));
  const auto scores = network.score(images(4));
  EXPECT_EQ(scores.sizes(), at::IntArrayRef({4}));
  EXPECT_TRUE(scores.isfinite().all().item<bool>());
  EXPECT_GT((scores - scores.mean()).abs().max().item<double>(), 0);
}

TEST_P(EveryArchitecture, LooksAtEveryPixel) {
  Critic network(small_critic(GetParam()));
  const auto x = images(2).requires_grad_();
  network.score(x).sum().backward();
  EXPECT_GT(x.grad().abs().min().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(StyleganDiscriminator, EveryArchitecture,
                         testing::Values(Architecture::kResnet, Architecture::kSkip,
                                         Architecture::kOrig));

TEST(StyleganDiscriminator, ScoresTheImagesOfAGroupTogether) {
  Critic grouped(small_critic(Architecture::kResnet));
  auto config = small_critic(Architecture::kResnet);
  config.stddev_features = 0;
  Critic alone(config);
  const auto x = images(2);
  const auto twice = at::cat({x.slice(0, 0, 1), x.slice(0, 0, 1)});
  EXPECT_NE(grouped.score(x)[0].item<float>(), grouped.score(twice)[0].item<float>());
  EXPECT_EQ(alone.score(x)[0].item<float>(), alone.score(twice)[0].item<float>());
}

TEST(StyleganDiscriminator, ScoresAnImageByItsLabel) {
  auto config = small_critic(Architecture::kResnet);
  config.label_count = 3;
  Critic network(config);
  EXPECT_TRUE(network.has("mapping.embed.weight"));
  EXPECT_TRUE(network.has("mapping.fc7.weight"));
  EXPECT_FALSE(network.has("mapping.fc8.weight")) << "eight layers, as the reference";
  const auto labels = [](std::int64_t label) { return at::full({2}, label, at::kLong); };
  const auto x = images(2);
  EXPECT_TRUE(at::equal(network.score(x, labels(1)), network.score(x, labels(1))));
  EXPECT_FALSE(at::allclose(network.score(x, labels(1)), network.score(x, labels(2))));
}

// As in the public implementation. A clamped activation passes no gradient to its bias.
TEST(StyleganDiscriminator, ClampsAllButTheImageOfTheLowestResolution) {
  auto config = small_critic(Architecture::kSkip);
  config.conv_clamp = 1;
  config.clamps_always = true;
  Critic network(config);
  const NamedTensors parameters = named_parameters(network.discriminator);
  {
    const at::NoGradGuard no_grad;
    for (const char* block : {"b16", "b8", "b4"})
      parameters.at(std::string(block) + ".fromrgb.bias").fill_(20);
    parameters.at("b4.conv.weight").mul_(0.01);  // stays within the clamp
  }
  network.score(images(2)).sum().backward();
  const auto gradient = [&](const std::string& block) {
    return parameters.at(block + ".fromrgb.bias").grad().abs().max().item<double>();
  };
  EXPECT_EQ(gradient("b16"), 0);
  EXPECT_EQ(gradient("b8"), 0);
  EXPECT_GT(gradient("b4"), 0);
}

TEST(StyleganDiscriminator, HasNoRunningStatistics) {
  Critic network(small_critic(Architecture::kResnet));
  EXPECT_TRUE(network.discriminator.moving_statistics().empty());
}

}  // namespace
}  // namespace ganscale::models::stylegan
