#include "models/dcgan/networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

constexpr int kImages = 2;
constexpr int kLabels = 4;

kernels::RandomStream random() {
  return kernels::RandomStream({5, 100, 1}, Stream::kDiscriminatorNoise);
}

Networks networks_of(int resolution, int channels, bool conditional) {
  const std::string name = conditional ? "conditional_dcgan" : "dcgan";
  ModelConfig config =
      read_model("{name: " + name + ", resolution: " + std::to_string(resolution) + "}",
                 conditional ? kLabels : 0);
  config.channels = channels;
  auto networks = build_networks(config, 3, nullptr);
  networks.generator->to(at::kDouble);
  networks.discriminator->to(at::kDouble);
  return networks;
}

at::Tensor labels_or_none(bool conditional) {
  return conditional ? at::tensor({0, 3}, at::kLong) : at::Tensor();
}

// The tables of the paper once more, one plain operation after another.
class Reference {
 public:
  // In training mode batch norms take the moments of the batch, else a new network's 0 and 1.
  Reference(const torch::nn::Module& network, bool training)
      : state_(named_state(network)), training_(training) {}

  at::Tensor generate(const at::Tensor& z, const at::Tensor& labels, int resolution) {
    auto x =
        labels.defined() ? at::cat({z, state_.at("label_embedding.weight").index({labels})}, 1) : z;
    const int size = resolution / 4;
    x = linear(x, "l1.0").relu();
    expect_shape(x, {kImages, 128 * size * size});
    x = norm(x.view({kImages, 128, size, size}), "conv_blocks.0", 1e-5);
    x = norm(convolve(upsample(x), "conv_blocks.2", 1), "conv_blocks.3", 0.8);
    x = at::leaky_relu(x, 0.2);
    expect_shape(x, {kImages, 128, 2 * size, 2 * size});
    x = norm(convolve(upsample(x), "conv_blocks.6", 1), "conv_blocks.7", 0.8);
    x = at::leaky_relu(x, 0.2);
    expect_shape(x, {kImages, 64, resolution, resolution});
    return convolve(x, "conv_blocks.9", 1).tanh();
  }

  at::Tensor score(const at::Tensor& images, const at::Tensor& labels,
                   kernels::RandomStream* dropout) {
    const int resolution = static_cast<int>(images.size(2));
    const int half = resolution / 2;
    auto x = block(images, "model.0", 2, dropout);
    expect_shape(x, {kImages, 16, half, half});
    x = norm(block(x, "model.3", 2, dropout), "model.6", 0.8);
    expect_shape(x, {kImages, 32, half / 2, half / 2});
    x = norm(block(x, "model.7", 2, dropout), "model.10", 0.8);
    expect_shape(x, {kImages, 64, half / 4, half / 4});
    x = norm(block(x, "model.11", resolution == 32 ? 1 : 2, dropout), "model.14", 0.8);
    expect_shape(x, {kImages, 128, 4, 4});
    x = x.reshape({kImages, 2048});
    const auto logits = linear(x, "adv_layer.0").squeeze(1);
    if (!labels.defined()) return logits;
    return logits + (state_.at("label_projection.weight").index({labels}) * x).sum(1);
  }

 private:
  static void expect_shape(const at::Tensor& x, at::IntArrayRef shape) {
    EXPECT_EQ(x.sizes(), shape);
  }
  static at::Tensor upsample(const at::Tensor& x) {
    return x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  }
  at::Tensor linear(const at::Tensor& x, const std::string& name) {
    return at::matmul(x, state_.at(name + ".weight").t()) + state_.at(name + ".bias");
  }
  at::Tensor convolve(const at::Tensor& x, const std::string& name, int stride) {
    return at::conv2d(x, state_.at(name + ".weight"), state_.at(name + ".bias"), stride, 1);
  }
  at::Tensor norm(const at::Tensor& x, const std::string& name, double epsilon) {
    const auto mean = training_ ? x.mean({0, 2, 3}, true) : at::zeros({1}, x.options());
    const auto centered = x - mean;
    const auto variance =
        training_ ? (centered * centered).mean({0, 2, 3}, true) : at::ones({1}, x.options());
    return centered / (variance + epsilon).sqrt() *
               state_.at(name + ".weight").view({1, -1, 1, 1}) +
           state_.at(name + ".bias").view({1, -1, 1, 1});
  }
  at::Tensor block(const at::Tensor& x, const std::string& name, int stride,
                   kernels::RandomStream* dropout) {
    const auto y = at::leaky_relu(convolve(x, name, stride), 0.2);
    if (dropout == nullptr) return y;
    const auto mask =
        dropout->dropout_mask(0.25, {y.size(0), y.size(2), y.size(3), y.size(1)}, y.options());
    return y * mask.permute({0, 3, 1, 2});
  }

  NamedTensors state_;
  bool training_;
};

class Dcgan : public testing::TestWithParam<std::tuple<int, int, bool>> {};

TEST_P(Dcgan, GeneratorComputesTheTable) {
  const auto [resolution, channels, conditional] = GetParam();
  const auto z = numbers({kImages, 100}, 1);
  const auto labels = labels_or_none(conditional);
  for (const bool training : {true, false}) {
    const auto generator = networks_of(resolution, channels, conditional).generator;
    generator->train(training);
    auto noise = random();
    const auto images = generator->forward(z, labels, noise);
    ASSERT_EQ(images.sizes(), at::IntArrayRef({kImages, channels, resolution, resolution}));
    const auto expected = Reference(*generator, training).generate(z, labels, resolution);
    EXPECT_TRUE(at::allclose(images, expected, 1e-10, 1e-12)) << "training: " << training;
  }
}

TEST_P(Dcgan, DiscriminatorComputesTheTable) {
  const auto [resolution, channels, conditional] = GetParam();
  const auto images = numbers({kImages, channels, resolution, resolution}, 2);
  const auto labels = labels_or_none(conditional);
  for (const bool training : {true, false}) {
    const auto discriminator = networks_of(resolution, channels, conditional).discriminator;
    discriminator->train(training);
    auto noise = random();
    const auto logits = discriminator->forward(images, labels, noise);
    ASSERT_EQ(logits.sizes(), at::IntArrayRef({kImages}));
    auto dropout = random();
    const auto expected =
        Reference(*discriminator, training).score(images, labels, training ? &dropout : nullptr);
    EXPECT_TRUE(at::allclose(logits, expected, 1e-10, 1e-12)) << "training: " << training;
  }
}

class DcganGradient : public Dcgan {};

TEST_P(DcganGradient, MatchesTheTable) {
  const auto [resolution, channels, conditional] = GetParam();
  const auto networks = networks_of(resolution, channels, conditional);
  const auto z = numbers({kImages, 100}, 1);
  const auto labels = labels_or_none(conditional);
  const auto gradients = [&](const at::Tensor& logits) {
    std::vector<at::Tensor> parameters = networks.generator->parameters();
    const auto more = networks.discriminator->parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    return torch::autograd::grad({logits.square().sum()}, parameters);
  };
  auto noise = random();
  const auto given = gradients(networks.discriminator->forward(
      networks.generator->forward(z, labels, noise), labels, noise));
  auto dropout = random();
  const auto images = Reference(*networks.generator, true).generate(z, labels, resolution);
  const auto expected =
      gradients(Reference(*networks.discriminator, true).score(images, labels, &dropout));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double scale = expected[i].abs().max().item<double>();
    EXPECT_LE((given[i] - expected[i]).abs().max().item<double>(), 1e-9 * scale + 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Dcgan,
                         testing::Values(std::tuple{32, 1, false}, std::tuple{32, 3, true},
                                         std::tuple{64, 3, false}, std::tuple{64, 1, true}));
INSTANTIATE_TEST_SUITE_P(Sizes, DcganGradient,
                         testing::Values(std::tuple{32, 1, true}, std::tuple{64, 3, false}));

TEST(Dcgan, HasWidthsTimesChannels) {
  const auto networks = build_networks(read_model("channels: 0.25"), 3, nullptr);
  const auto generator = named_parameters(*networks.generator);
  EXPECT_EQ(generator.at("l1.0.weight").sizes(), at::IntArrayRef({32 * 8 * 8, 100}));
  EXPECT_EQ(generator.at("conv_blocks.6.weight").sizes(), at::IntArrayRef({16, 32, 3, 3}));
  const auto discriminator = named_parameters(*networks.discriminator);
  EXPECT_EQ(discriminator.at("model.0.weight").sizes(), at::IntArrayRef({4, 3, 3, 3}));
  EXPECT_EQ(discriminator.at("adv_layer.0.weight").sizes(), at::IntArrayRef({1, 512}));
}

// The code of Lupo Pasini et al.: a label is as wide as there are labels.
TEST(ConditionalDcgan, TakesLabelsOfAnyWidthAndLeavesThemOutOfItsScores) {
  const auto networks = build_networks(
      read_model("{name: conditional_dcgan, label_dim: 4, label_networks: generator}", kLabels), 3,
      nullptr);
  const auto generator = named_parameters(*networks.generator);
  EXPECT_EQ(generator.at("label_embedding.weight").sizes(), at::IntArrayRef({kLabels, 4}));
  EXPECT_EQ(generator.at("l1.0.weight").size(1), 104);
  const auto images = numbers({kImages, 3, 32, 32}, 2).to(at::kFloat);
  const auto score = [&](const at::Tensor& labels) {
    auto dropout = random();
    return networks.discriminator->forward(images, labels, dropout);
  };
  EXPECT_TRUE(at::equal(score(at::tensor({0, 1})), score(at::tensor({2, 3}))));
}

TEST(DcganDiscriminator, DropsWholeChannelsIfConfigured) {
  const auto discriminator =
      build_networks(read_model("{dropout: channels, batch_norm: frozen}"), 3, nullptr)
          .discriminator;
  const auto images = numbers({kImages, 3, 32, 32}, 2).to(at::kFloat);
  auto dropout = random();
  const auto logits = discriminator->forward(images, {}, dropout);

  const auto state = named_state(*discriminator);
  auto again = random();
  auto x = images;
  int place = 0;
  for (const int stride : {2, 2, 2, 1}) {
    const auto layer = "model." + std::to_string(place);
    x = at::conv2d(x, state.at(layer + ".weight"), state.at(layer + ".bias"), stride, 1);
    const auto mask = again.dropout_mask(0.25, {kImages, 1, 1, x.size(1)}, x.options());
    x = at::leaky_relu(x * mask.permute({0, 3, 1, 2}), 0.2);
    if (place > 0) {
      const auto norm = "model." + std::to_string(place + 3);
      x = x / std::sqrt(1.8) * state.at(norm + ".weight").view({1, -1, 1, 1}) +
          state.at(norm + ".bias").view({1, -1, 1, 1});
    }
    place += place == 0 ? 3 : 4;
  }
  const auto expected =
      at::linear(x.flatten(1), state.at("adv_layer.0.weight"), state.at("adv_layer.0.bias"));
  EXPECT_TRUE(at::allclose(logits, expected.squeeze(1), 1e-4, 1e-5));
}

TEST(DcganDiscriminator, DropoutDependsOnTheImageNotItsPlaceInTheBatch) {
  const auto discriminator =
      build_networks(read_model("batch_norm: frozen"), 3, nullptr).discriminator;
  const auto images = numbers({kImages, 3, 32, 32}, 2).to(at::kFloat);
  kernels::RandomStream of_all({5, 100, 1}, Stream::kDiscriminatorNoise);
  kernels::RandomStream of_last({5, 101, 1}, Stream::kDiscriminatorNoise);
  kernels::RandomStream of_first({5, 100, 1}, Stream::kDiscriminatorNoise);
  const auto logits = discriminator->forward(images, {}, of_all);
  const auto last = images.slice(0, 1);
  EXPECT_TRUE(at::allclose(discriminator->forward(last, {}, of_last)[0], logits[1], 1e-5, 1e-7));
  EXPECT_FALSE(at::allclose(discriminator->forward(last, {}, of_first)[0], logits[1], 1e-5, 1e-7));
}

}  // namespace
}  // namespace ganscale::models
