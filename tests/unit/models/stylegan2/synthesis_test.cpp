#include "models/stylegan2/synthesis.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cost/recorder.h"
#include "models/stylegan2/blueprint.h"
#include "tensors/move_module.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan2 {
namespace {

NetworkConfig small_networks(int resolution) {
  NetworkConfig config{{.resolution = resolution, .channel_base = 64, .channel_max = 4}};
  config.z_dim = config.w_dim = 4;
  return config;
}

at::Tensor styles(std::int64_t images, std::int64_t count) {
  return at::arange(images * count * 4, at::kDouble).mul(0.3).sin().view({images, count, 4});
}

/// The network with random weights and noise of strength 0.5, in float64.
struct NoisySynthesis {
  explicit NoisySynthesis(int resolution) : config(small_networks(resolution)), synthesis(config) {
    initialize_generator(synthesis, 5);
    synthesis.to(at::kDouble);
    strengthen_noise(0.5);
  }

  void strengthen_noise(double strength) {
    const at::NoGradGuard no_grad;
    for (const auto& [name, parameter] : named_parameters(synthesis)) {
      if (name.ends_with("noise_strength")) parameter.fill_(strength);
    }
  }

  at::Tensor images(const at::Tensor& w, kernels::RandomStream* noise = nullptr) {
    return synthesis.forward(w, noise);
  }

  NetworkConfig config;
  Synthesis synthesis;
};

/// Computes a layer whose inputs and results are not scaled.
kernels::StyledActivationResults results(const SynthesisLayer& layer, const at::Tensor& x,
                                         const at::Tensor& next_styles = {}) {
  const at::Tensor weight = layer.exact_weight(at::kFloat);
  return layer.forward(x, {.weight = weight,
                           .demodulation = at::ones({x.size(0), weight.size(0)}),
                           .noise = layer.constant_noise(),
                           .next_styles = next_styles});
}

TEST(SynthesisLayer, DoublesTheImageIfConfigured) {
  SynthesisLayer layer({.in_channels = 2, .out_channels = 3, .w_dim = 4, .resolution = 8, .up = 2});
  const auto y = results(layer, at::ones({1, 2, 4, 4})).value;
  EXPECT_EQ(y.sizes(), at::IntArrayRef({1, 3, 8, 8}));
}

// The weights are zero: what remains is the noise. Leaky ReLU with a gain of sqrt(2).
TEST(SynthesisLayer, AddsItsNoiseByItsStrength) {
  SynthesisLayer layer({.in_channels = 1, .out_channels = 2, .w_dim = 4, .resolution = 4});
  const at::NoGradGuard no_grad;
  const auto state = named_state(layer);
  state.at("noise_const").fill_(3);
  state.at("noise_strength").fill_(0.5);
  const auto y = results(layer, at::ones({2, 1, 4, 4})).value;
  EXPECT_TRUE(at::allclose(y, at::full({2, 2, 4, 4}, 1.5 * std::sqrt(2.0))));
}

TEST(SynthesisLayer, ScalesItsResultForTheNextConvolution) {
  SynthesisLayer layer({.in_channels = 1, .out_channels = 2, .w_dim = 4, .resolution = 4});
  const at::NoGradGuard no_grad;
  named_state(layer).at("bias").fill_(1);
  const auto next = at::tensor({2.0F, -3.0F}).view({1, 2});
  const auto result = results(layer, at::ones({1, 1, 4, 4}), next);
  EXPECT_TRUE(at::allclose(result.scaled, result.value * next.view({1, 2, 1, 1})));
}

TEST(SynthesisLayer, ClampsItsResult) {
  SynthesisLayer layer(
      {.in_channels = 1, .out_channels = 1, .w_dim = 4, .resolution = 4, .clamp = 2.0});
  const at::NoGradGuard no_grad;
  named_state(layer).at("bias").fill_(100);
  const auto y = results(layer, at::ones({1, 1, 4, 4})).value;
  EXPECT_TRUE(at::equal(y, at::full({1, 1, 4, 4}, 2.0)));
}

// The affine layer begins with the bias 1: the weight of a channel is divided by the root of the
// number of channels, and nothing demodulates it.
TEST(ToRgbLayer, IsAWeightedSumOfTheChannels) {
  const auto config = small_networks(8);
  ToRgbLayer layer(4, config);
  const at::NoGradGuard no_grad;
  const auto state = named_state(layer);
  state.at("weight").fill_(3);
  state.at("bias").copy_(at::tensor({0.0F, 1.0F, 2.0F}));
  const auto styles = layer.affine().forward(at::ones({1, 4}));
  const auto y =
      layer.forward(at::ones({1, 4, 2, 2}), layer.weight() * styles.unsqueeze(1), at::Tensor());
  EXPECT_TRUE(at::allclose(y[0].flatten(1).select(1, 0), at::tensor({6.0F, 7.0F, 8.0F})));
}

TEST(Synthesis, HasABlockForEachResolution) {
  const NoisySynthesis network(16);
  for (const char* name : {"b4.const", "b4.conv1.weight", "b4.torgb.weight", "b8.conv0.weight",
                           "b16.conv0.weight", "b16.conv1.noise_const", "b16.torgb.bias"}) {
    EXPECT_TRUE(named_state(network.synthesis).contains(name)) << name;
  }
  EXPECT_FALSE(named_state(network.synthesis).contains("b4.conv0.weight"));
  EXPECT_FALSE(named_state(network.synthesis).contains("b32.conv0.weight"));
}

TEST(Synthesis, AnImageDoesNotDependOnItsBatch) {
  NoisySynthesis network(16);
  const auto w = styles(3, network.config.w_count());
  const auto all = network.images(w);
  EXPECT_EQ(all.sizes(), at::IntArrayRef({3, 3, 16, 16}));
  EXPECT_TRUE(at::allclose(network.images(w.slice(0, 1, 2)), all.slice(0, 1, 2)));
}

// Style vectors of coarse layers change more of the image than those of the last one, which only
// colors it; each has an effect.
TEST(Synthesis, UsesEveryStyleVector) {
  NoisySynthesis network(16);
  const auto w = styles(1, network.config.w_count());
  const auto image = network.images(w);
  for (std::int64_t layer = 0; layer < network.config.w_count(); ++layer) {
    auto changed = w.clone();
    changed.select(1, layer).add_(1);
    EXPECT_GT((network.images(changed) - image).abs().max().item<double>(), 1e-6) << layer;
  }
}

TEST(Synthesis, TakesConstantNoiseWithoutASource) {
  NoisySynthesis network(8);
  const auto w = styles(2, network.config.w_count());
  EXPECT_TRUE(at::equal(network.images(w), network.images(w)));
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  EXPECT_FALSE(at::allclose(network.images(w, &random), network.images(w)));
}

TEST(Synthesis, DrawsNoiseForEachImage) {
  NoisySynthesis network(8);
  const auto w = styles(1, network.config.w_count()).expand({2, -1, -1});
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  const auto images = network.images(w, &random);
  EXPECT_FALSE(at::allclose(images[0], images[1]));
}

TEST(Synthesis, SkipsNoiseOfStrengthZero) {
  NoisySynthesis network(8);
  network.strengthen_noise(0);
  const auto w = styles(2, network.config.w_count());
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  EXPECT_TRUE(at::allclose(network.images(w, &random), network.images(w)));
}

/// Returns how many operations on a GPU, other than convolutions and the one that draws the noise
/// of all layers, which has one channel, take as much memory as an image of 64 x 64 pixels.
std::ptrdiff_t large_operations(int resolution) {
  NetworkConfig config = small_networks(resolution);
  config.channel_base = stylegan::DiscriminatorConfig{}.channel_base;
  config.channel_max = 8;
  config.low_precision_resolutions = 8;
  config.low_precision_type = at::kBFloat16;
  Synthesis synthesis(config);
  move_module(synthesis, at::kMeta, at::kFloat);
  const auto w = at::empty({2, config.w_count(), 4}, at::kMeta);
  cost::Recorder recorder;
  kernels::RandomStream random({1, 0, 1}, Stream::kGeneratorNoise);
  synthesis.forward(w, &random);
  const auto operations = recorder.take();
  return std::ranges::count_if(operations, [](const cost::Operation& operation) {
    return operation.name != "ganscale::random_numbers" && operation.name != "aten::convolution" &&
           operation.bytes >= 2 * 3 * 64 * 64 * sizeof(float);
  });
}

// The filter behind the first convolution, what follows each, and the colors, the image of the
// resolution below and their sum.
TEST(Synthesis, PassesOverMemorySixTimesALevelOutsideConvolutions) {
  EXPECT_EQ(large_operations(128) - large_operations(64), 6);
}

}  // namespace
}  // namespace ganscale::models::stylegan2
