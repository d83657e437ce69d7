#include "models/contract/layout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "models/layers/conv2d.h"
#include "support/expect_error.h"
#include "support/plain_numbers.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

constexpr LayoutPolicy kForTensorCores{.allows_tf32 = true, .device = at::kCUDA};
constexpr LayoutPolicy kPlain{.is_plain = true};

bool is_channels_last(const Layout& layout) {
  return layout.features == at::MemoryFormat::ChannelsLast;
}

TEST(LayoutPolicy, FitsFeaturesToWhatComputes) {
  const LayoutPolicy exact;
  const LayoutPolicy rounds{.allows_tf32 = true};
  EXPECT_TRUE(is_channels_last(exact.layout_of(at::kCPU, at::kFloat)));
  EXPECT_TRUE(is_channels_last(rounds.layout_of(at::kCPU, at::kDouble)));
  EXPECT_FALSE(is_channels_last(exact.layout_of(at::kCUDA, at::kFloat)));
  EXPECT_FALSE(is_channels_last(rounds.layout_of(at::kCUDA, at::kDouble)));
  EXPECT_TRUE(is_channels_last(rounds.layout_of(at::kCUDA, at::kFloat)));
  EXPECT_TRUE(is_channels_last(exact.layout_of(at::kMeta, at::kBFloat16)));
  for (const auto device : {at::kCPU, at::kCUDA}) {
    EXPECT_FALSE(is_channels_last(kPlain.layout_of(device, at::kHalf)));
  }
}

TEST(LayoutPolicy, PadsAndLaysOutWeightsForTensorCoresAlone) {
  const Layout low = LayoutPolicy().layout_of(at::kCUDA, at::kHalf);
  EXPECT_EQ(low.channel_multiple, 8);
  EXPECT_EQ(low.vector_multiple, 8);
  EXPECT_EQ(low.weights, at::MemoryFormat::ChannelsLast);
  for (const Layout& layout : {LayoutPolicy().layout_of(at::kCPU, at::kBFloat16),
                               LayoutPolicy().layout_of(at::kCUDA, at::kFloat),
                               kPlain.layout_of(at::kCUDA, at::kBFloat16)}) {
    EXPECT_EQ(layout.channel_multiple, 1);
    EXPECT_EQ(layout.vector_multiple, 1);
    EXPECT_EQ(layout.weights, at::MemoryFormat::Contiguous);
  }
}

TEST(LayoutPolicy, JoinsBatchesOnAGpu) {
  EXPECT_TRUE(LayoutPolicy().joins_batches(at::kCUDA));
  EXPECT_FALSE(LayoutPolicy().joins_batches(at::kCPU));
  EXPECT_FALSE(kPlain.joins_batches(at::kCUDA));
}

TEST(LaidOutFeatures, KeepTheirNumbers) {
  const auto x = numbers({2, 3, 4, 4}, 1);
  const auto last = laid_out(x, at::kDouble, {});
  EXPECT_TRUE(last.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::equal(last, x));
  EXPECT_TRUE(laid_out(last, at::kDouble, kPlain).is_contiguous());
  EXPECT_EQ(laid_out(x, at::kBFloat16, {}).scalar_type(), at::kBFloat16);
}

at::Tensor plain_convolution(const ConvolutionOperands& in) {
  return at::conv2d(in.x, in.weight, in.bias, /*stride=*/1, /*padding=*/1, /*dilation=*/1,
                    in.groups);
}

/// Of a layer in float32.
struct Orders {
  std::vector<at::Tensor> first;   ///< the result and the gradients of its square
  std::vector<at::Tensor> second;  ///< the gradients of a penalty on these
};

/// A layer of a weight and a bias.
using Layer = std::function<at::Tensor(const ConvolutionOperands& in)>;

Orders orders_of(const ConvolutionOperands& numbers, const Layer& layer) {
  const auto leaf = [](const at::Tensor& tensor) { return tensor.to(at::kFloat).requires_grad_(); };
  const ConvolutionOperands in{leaf(numbers.x), leaf(numbers.weight), leaf(numbers.bias),
                               numbers.groups};
  const auto y = layer(in);
  EXPECT_EQ(y.size(0), in.x.size(0));
  EXPECT_EQ(y.size(1), in.weight.size(0));
  Orders orders;
  orders.first = torch::autograd::grad({y.square().sum()}, {in.x, in.weight, in.bias}, {}, true,
                                       /*create_graph=*/true);
  (orders.first[0].square().sum() + orders.first[1].square().sum()).backward();
  orders.first.push_back(y);
  orders.second = {in.x.grad(), in.weight.grad(), in.bias.grad()};
  return orders;
}

/// Expects that tensors differ by at most this share of the largest number.
void expect_near(const std::vector<at::Tensor>& given, const std::vector<at::Tensor>& expected,
                 double share) {
  ASSERT_EQ(given.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(given[i].sizes(), expected[i].sizes()) << i;
    const double largest = expected[i].abs().max().item<double>();
    EXPECT_LE((given[i] - expected[i]).abs().max().item<double>(), share * largest) << i;
  }
}

/// Expects what a layer gives without a pad where it has one.
void expect_inert_pad(
    const ConvolutionOperands& in,
    const std::function<at::Tensor(const ConvolutionOperands&, const LayoutPolicy&)>& layer) {
  const auto with = [&](const LayoutPolicy& policy) {
    return orders_of(in, [&](const auto& given) { return layer(given, policy); });
  };
  const Orders padded = with(kForTensorCores);
  const Orders plain = with(kPlain);
  // Sums of up to 153 products in another order: 2^-24 sqrt(153) a layer, through up to four and
  // eight.
  expect_near(padded.first, plain.first, 3e-6);
  expect_near(padded.second, plain.second, 1e-5);
}

// Gray and color images, as many channels as tensor cores take, and one more.
TEST(Convolved, HasTheResultAndDerivativesOfTheConvolutionWithoutAPad) {
  for (const Convolve& convolve :
       {Convolve(plain_convolution), Convolve(upsampled_conv2d), Convolve(halved_conv2d)}) {
    for (const auto& [in, out] : {std::pair{1, 16}, {3, 12}, {9, 3}, {16, 8}, {17, 1}}) {
      expect_inert_pad({numbers({2, in, 4, 4}, 1), numbers({out, in, 3, 3}, 2), numbers({out}, 3)},
                       [&](const auto& given, const auto& policy) {
                         return convolved(given, policy, convolve);
                       });
    }
  }
}

// Two to four groups, of channels that tensor cores take as they are or with a pad, or of one.
TEST(Convolved, PadsEachGroupByItself) {
  for (const auto& [groups, in, out] :
       {std::tuple{2, 3, 5}, {3, 8, 4}, {2, 16, 8}, {4, 1, 1}, {4, 1, 2}, {1, 3, 5}}) {
    expect_inert_pad({numbers({2, groups * in, 4, 4}, 1), numbers({groups * out, in, 3, 3}, 2),
                      numbers({groups * out}, 3), groups},
                     [](const auto& given, const auto& policy) {
                       return convolved(given, policy, plain_convolution);
                     });
  }
}

TEST(Convolved, RefusesChannelsThatGroupsAndWeightDoNotHave) {
  const auto convolve = [](int channels, int groups) {
    convolved({numbers({1, channels, 4, 4}, 1), numbers({6, 2, 3, 3}, 2), {}, groups}, {},
              plain_convolution);
  };
  expect_error(ExitCode::kBug, "2 groups of a weight of 6 x 2 does not take 6 channels",
               [&] { convolve(6, 2); });
  expect_error(ExitCode::kBug, "4 groups", [&] { convolve(8, 4); });
  convolve(6, 3);
}

TEST(Convolved, TakesOperandsThatAreLaidOutAndPadded) {
  const auto weight = numbers({3, 1, 3, 3}, 2);
  const auto see = [](const ConvolutionOperands& in) {
    EXPECT_EQ(in.x.sizes(), at::IntArrayRef({2, 8, 4, 4}));
    EXPECT_EQ(in.weight.sizes(), at::IntArrayRef({8, 8, 3, 3}));
    EXPECT_EQ(in.bias.sizes(), at::IntArrayRef({8}));
    EXPECT_EQ(in.weight.scalar_type(), at::kFloat);
    EXPECT_EQ(in.x.suggest_memory_format(), at::MemoryFormat::ChannelsLast);
    EXPECT_EQ(in.weight.suggest_memory_format(), at::MemoryFormat::ChannelsLast);
    return plain_convolution(in);
  };
  const auto x = numbers({2, 1, 4, 4}, 1).to(at::kFloat);
  EXPECT_EQ(convolved({x, weight, numbers({3}, 3)}, kForTensorCores, see).sizes(),
            at::IntArrayRef({2, 3, 4, 4}));
}

// Batches that fill the rows of tensor cores, and others.
TEST(Multiplied, HasTheResultAndDerivativesOfTheProductWithoutAPad) {
  for (const int images : {1, 6, 8, 17}) {
    expect_inert_pad({numbers({images, 5}, 1), numbers({3, 5}, 2), numbers({3}, 3)},
                     [](const auto& given, const auto& policy) {
                       return multiplied(given.x, given.weight, given.bias, policy);
                     });
  }
}

/// Images of a network, scores of reals, and the gradients of all parameters, in float32.
std::vector<at::Tensor> step_of(const std::string& model, const LayoutPolicy& policy) {
  ModelConfig config = read_model(model, 3);
  config.layout = policy;
  const Networks networks = build_networks(config, 1, nullptr);
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const auto labels = takes_labels(config) ? at::arange(4).remainder(3) : at::Tensor();
  const auto z = numbers({4, networks.generator->z_dim()}, 1).to(at::kFloat);
  const auto images = networks.generator->forward(z, labels, random);
  const auto scores = networks.discriminator->forward(images, labels, random);
  scores.square().sum().backward();
  std::vector<at::Tensor> results = {images, scores};
  for (const torch::nn::Module* network :
       {static_cast<torch::nn::Module*>(networks.generator.get()),
        static_cast<torch::nn::Module*>(networks.discriminator.get())}) {
    at::Tensor squares = at::zeros({}, at::kDouble);
    for (const at::Tensor& parameter : network->parameters()) {
      if (parameter.grad().defined()) squares += parameter.grad().to(at::kDouble).square().sum();
    }
    results.push_back(squares.sqrt());
  }
  return results;
}

class Layouts : public testing::TestWithParam<const char*> {};

// Both are channels last here: what is between them is the pad, with which oneDNN blocks sums
// otherwise.
TEST_P(Layouts, PadWithoutAnEffect) {
  expect_near(step_of(GetParam(), kForTensorCores), step_of(GetParam(), {}), 2e-5);
}

// Rounded to 24 bits through some ten layers, whose sums are in another order.
TEST_P(Layouts, ChangeNeitherImagesNorScoresNorGradients) {
  expect_near(step_of(GetParam(), {}), step_of(GetParam(), kPlain), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Layouts,
    testing::Values("{name: biggan, generator_channels: 3, discriminator_channels: 5}",
                    "{name: biggan_deep, generator_channels: 6, discriminator_channels: 6}",
                    "{name: dcgan}", "{name: sngan, channels: 0.2}",
                    "{name: r3gan, channel_max: 12, group_channels: 6}",
                    "{name: stylegan2, channel_max: 12, w_dim: 8, mapping_layers: 1}",
                    "{name: stylegan3, channel_max: 12, w_dim: 8, mapping_layers: 1, layers: 6}"));

}  // namespace
}  // namespace ganscale::models
