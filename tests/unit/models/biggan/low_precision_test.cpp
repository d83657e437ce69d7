#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <vector>

#include "support/plain_numbers.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

// BigGAN at 32 in bf16, by its own types, against float32 on the CPU.
//
// A rounding to bf16 errs by at most u = 2^-8 of a number, and in the mean square by between
// u / sqrt(12) and u / sqrt(3). Roundings one behind the other err independently, so that n of them
// add up to at most e = u sqrt(n) of a tensor's norm as long as no layer amplifies a relative error:
// norms and spectral norms keep the scale, and ReLU passes a half of signal and error alike. The
// factor sqrt(3) is left for shortcuts and parallel branches. Roundings on the longest way through
//   a norm:        4 (normalized numbers, gain, bias, their combination)
//   a convolution: 2 (weight, result)
//   attention:     8 (theta 2, products 2, softmax 1, o 2, sum 1)
//
// A gradient takes the way back, which has as many roundings, and the masks of ReLUs: two normal
// numbers that differ by e have different signs in e / pi of all cases, and each ReLU that passes or
// stops the wrong ones adds 2 e / pi to the squared relative error, since it passes a half. So that
// is at most r^2 = 2 e^2 + 2 k e / pi with k ReLUs, and the cosine at least 1 - r^2 / 2.
namespace ganscale::models::biggan {
namespace {

constexpr double kRoundoff = 0x1p-8;

/// The longest way through a network.
struct Way {
  int roundings = 0;
  int relus = 0;  ///< behind a rounding

  double error() const { return kRoundoff * std::sqrt(roundings); }
  double squared_error_of_gradients() const {
    return 2 * error() * error() + 2 * relus * error() / std::numbers::pi;
  }
};

constexpr int kInAttention = 8;
/// The cast of the first layer; three blocks of two norms, two convolutions and a sum.
constexpr Way kGenerator = {.roundings = 1 + 3 * (2 * 4 + 2 * 2 + 1) + kInAttention, .relus = 6};
/// The cast of the images; four blocks of two convolutions and a sum, each with attention. The first
/// block begins without ReLU, a last one stands behind all.
constexpr Way kDiscriminator = {.roundings = 1 + 4 * (2 * 2 + 1 + kInAttention), .relus = 8};

constexpr int kWidth = 32;  // of D's last features
constexpr int kLabelCount = kWidth;
constexpr std::int64_t kImages = kLabelCount;

/// Makes a score the sum of two of D's last features, number 5 and the label's: all of them count,
/// and none cancels another.
void make_scores_of_features(const torch::nn::Module& discriminator) {
  const auto parameters = named_parameters(discriminator);
  parameters.at("linear.weight").zero_().select(1, 5).fill_(1);
  parameters.at("embed.weight").copy_(at::eye(kWidth));
}

/// Sets the last norm and convolution so that the images depend on differences of large numbers:
/// the norm shifts to 64, where bf16 has steps of a half, and the convolution takes what is beyond.
void make_last_layers_sensitive(const torch::nn::Module& generator) {
  const auto parameters = named_parameters(generator);
  parameters.at("output_layer.0.bias").fill_(64);
  const auto& weight = parameters.at("output_layer.2.weight");
  const auto at_center = numbers({weight.size(0), weight.size(1)}, 1);
  weight.zero_();
  weight.select(3, 1).select(2, 1).copy_(at_center - at_center.mean(1, /*keepdim=*/true));
}

Networks make_in(at::ScalarType type) {
  auto config =
      read_model("{name: biggan, generator_channels: 8, discriminator_channels: 8}", kLabelCount);
  config.low_precision_type = type;
  auto networks = build_networks(config, 1, nullptr);
  const at::NoGradGuard no_grad;
  make_last_layers_sensitive(*networks.generator);
  make_scores_of_features(*networks.discriminator);
  for (const torch::nn::Module* network :
       {static_cast<torch::nn::Module*>(networks.generator.get()),
        static_cast<torch::nn::Module*>(networks.discriminator.get())}) {
    for (const auto& [name, value] : named_parameters(*network)) {
      if (name.ends_with("gamma")) value.fill_(0.5);  // else attention would do nothing
    }
  }
  return networks;
}

at::Tensor images_of(Generator& generator) {
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto z = numbers({kImages, generator.z_dim()}, 2).mul(1.4).to(at::kFloat);
  return generator.forward(z, at::arange(kLabelCount), random);
}

at::Tensor scores_of(Discriminator& discriminator) {
  kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
  const auto images = numbers({kImages, 3, 32, 32}, 3).to(at::kFloat);
  return discriminator.forward(images, at::arange(kLabelCount), random);
}

/// Expects what roundings to bf16 make of exact numbers: all of them may err, and one has to.
void expect_rounded(const at::Tensor& of, const at::Tensor& exact, const Way& way) {
  EXPECT_EQ(of.scalar_type(), at::kFloat);
  const double error = (of - exact).norm().item<double>() / exact.norm().item<double>();
  EXPECT_LT(error, way.error());
  EXPECT_GT(error, kRoundoff / std::sqrt(12)) << "it computes in float32";
}

/// Returns the gradients of all parameters.
NamedTensors gradients_of(const torch::nn::Module& network, const at::Tensor& loss) {
  loss.backward();
  NamedTensors gradients;
  for (const auto& [name, parameter] : named_parameters(network))
    gradients[name] = parameter.grad();
  return gradients;
}

double cosine(const at::Tensor& a, const at::Tensor& b) {
  return a.flatten().dot(b.flatten()).item<double>() /
         (a.norm().item<double>() * b.norm().item<double>());
}

/// The gradients of a network, by the type that it computes in and the seed of a loss.
using GradientsIn = std::function<NamedTensors(at::ScalarType type, int seed)>;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Expects gradients of weights near float32's. Biases in front of a norm have none. Where one
/// ReLU bends for few numbers, a single loss errs by more than the mean, and for which one depends on
/// the processor: hence the median of three.
void expect_gradients(const GradientsIn& gradients_in, const Way& way) {
  std::map<std::string, std::vector<double>> cosines;
  std::map<std::string, std::vector<double>> ratios;
  for (int seed = 4; seed < 7; ++seed) {
    const NamedTensors exact = gradients_in(at::kFloat, seed);
    for (const auto& [name, gradient] : gradients_in(at::kBFloat16, seed)) {
      EXPECT_EQ(gradient.scalar_type(), at::kFloat) << name;
      EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << name;
      if (!name.ends_with("weight")) continue;
      const at::Tensor& expected = exact.at(name);
      cosines[name].push_back(cosine(gradient, expected));
      ratios[name].push_back(gradient.norm().item<double>() / expected.norm().item<double>());
    }
  }
  const double squared_error = way.squared_error_of_gradients();
  for (const auto& [name, values] : cosines)
    EXPECT_GT(median(values), 1 - squared_error / 2) << name;
  for (const auto& [name, values] : ratios)
    EXPECT_NEAR(median(values), 1, std::sqrt(squared_error)) << name;
}

TEST(BigganInBf16, MakesImagesAsInFloat32) {
  const auto exact = images_of(*make_in(at::kFloat).generator);
  expect_rounded(images_of(*make_in(at::kBFloat16).generator), exact, kGenerator);
}

TEST(BigganInBf16, ScoresAsInFloat32) {
  const auto exact = scores_of(*make_in(at::kFloat).discriminator);
  expect_rounded(scores_of(*make_in(at::kBFloat16).discriminator), exact, kDiscriminator);
}

TEST(BigganInBf16, GeneratorGradientsMatchFloat32) {
  const auto gradients_in = [](at::ScalarType type, int seed) {
    const auto networks = make_in(type);
    const auto images = images_of(*networks.generator);
    const auto direction = numbers(images.sizes(), seed).to(at::kFloat);
    return gradients_of(*networks.generator, images.mul(direction).sum());
  };
  expect_gradients(gradients_in, kGenerator);
}

TEST(BigganInBf16, DiscriminatorGradientsMatchFloat32) {
  const auto gradients_in = [](at::ScalarType type, int seed) {
    const auto networks = make_in(type);
    const auto scores = scores_of(*networks.discriminator);
    const auto direction = numbers(scores.sizes(), seed).to(at::kFloat);
    return gradients_of(*networks.discriminator, scores.square().mul(direction).sum());
  };
  expect_gradients(gradients_in, kDiscriminator);
}

/// Returns the share of numbers that bf16 has, but for what float32 rounds.
double share_in_bf16(const at::Tensor& x) {
  const auto distance = (x - x.to(at::kBFloat16).to(x.scalar_type())).abs();
  return distance.le(x.abs() * 0x1p-17).to(at::kDouble).mean().item<double>();
}

// Rounded ones would all be numbers of bf16. tanh is undone where it loses nothing.
TEST(BigganInBf16, ComputesTheLastConvolutionOfAGeneratorInFloat32) {
  const auto images = images_of(*make_in(at::kBFloat16).generator).to(at::kDouble);
  EXPECT_LT(share_in_bf16(images.masked_select(images.abs().lt(0.9)).atanh()), 0.1);
}

TEST(BigganInBf16, SumsOverPixelsInFloat32) {
  const auto networks = make_in(at::kBFloat16);
  // Where the label is 5, a score is twice feature 5.
  std::vector<at::Tensor> scores;
  for (int i = 0; i < 32; ++i) {
    kernels::RandomStream random({}, Stream::kDiscriminatorNoise);
    const auto image = numbers({1, 3, 32, 32}, i).to(at::kFloat);
    scores.push_back(networks.discriminator->forward(image, at::full({1}, 5, at::kLong), random));
  }
  EXPECT_LT(share_in_bf16(at::cat(scores)), 0.5);
}

}  // namespace
}  // namespace ganscale::models::biggan
