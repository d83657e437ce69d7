#include "models/stylegan/mapping.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/stylegan/initial_weights.h"
#include "support/expect_error.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan {
namespace {

at::Tensor latents(std::int64_t count, std::int64_t width) {
  return at::arange(count * width, at::kDouble).mul(0.7).sin().view({count, width});
}

/// A mapping of random weights in float64.
std::shared_ptr<Mapping> make_mapping(const MappingOptions& options) {
  auto mapping = std::make_shared<Mapping>(options);
  initialize_weights(*mapping, "mapping", 5);
  mapping->to(at::kDouble);
  return mapping;
}

std::vector<std::string> names_of(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : named_state(module)) names.push_back(name);
  return names;
}

TEST(Mapping, NamesItsParametersAsTheReference) {
  EXPECT_EQ(names_of(*make_mapping({.z_dim = 4, .width = 6, .layers = 2})),
            (std::vector<std::string>{"fc0.bias", "fc0.weight", "fc1.bias", "fc1.weight"}));
  EXPECT_EQ(
      names_of(*make_mapping(
          {.z_dim = 4, .label_count = 3, .width = 6, .layers = 1, .average_beta = 0.9})),
      (std::vector<std::string>{"embed.bias", "embed.weight", "fc0.bias", "fc0.weight", "w_avg"}));
}

TEST(Mapping, IgnoresTheLengthOfALatent) {
  const auto mapping = make_mapping({.z_dim = 4, .width = 6, .layers = 2});
  const auto z = latents(3, 4);
  const auto w = mapping->forward(z, {});
  EXPECT_EQ(w.sizes(), at::IntArrayRef({3, 6}));
  EXPECT_TRUE(at::allclose(mapping->forward(z * 100, {}), w, 1e-5, 1e-12));
  EXPECT_FALSE(at::allclose(mapping->forward(-z, {}), w, 1e-2, 0));
}

TEST(Mapping, MapsEachLatentAlone) {
  const auto mapping = make_mapping({.z_dim = 4, .width = 6, .layers = 2});
  const auto z = latents(3, 4);
  const auto w = mapping->forward(z, {});
  EXPECT_TRUE(at::allclose(mapping->forward(z.slice(0, 1, 2), {}), w.slice(0, 1, 2)));
}

TEST(Mapping, WithoutLatentsMapsEachLabelToItsStyle) {
  const auto mapping = make_mapping({.z_dim = 0, .label_count = 3, .width = 6, .layers = 2});
  const auto w =
      mapping->forward({}, at::tensor({std::int64_t{0}, std::int64_t{2}, std::int64_t{0}}));
  EXPECT_TRUE(at::equal(w[0], w[2]));
  EXPECT_FALSE(at::allclose(w[0], w[1]));
}

// The style begins with the mean square 1, so that latent and label weigh as much.
TEST(Mapping, NormalizesLatentsAndLabels) {
  const auto mapping = make_mapping({.z_dim = 4, .label_count = 3, .width = 6, .layers = 0});
  const auto z = latents(2, 4) * 5;
  const auto joined = mapping->forward(z, at::tensor({std::int64_t{0}, std::int64_t{1}}));
  EXPECT_EQ(joined.sizes(), at::IntArrayRef({2, 10}));
  const auto mean_square = [](const at::Tensor& x) { return x.square().mean(1); };
  EXPECT_TRUE(at::allclose(mean_square(joined.slice(1, 0, 4)), at::ones({2}, at::kDouble), 1e-6));
  EXPECT_TRUE(at::allclose(mean_square(joined.slice(1, 4)), at::ones({2}, at::kDouble), 1e-6));
}

TEST(Mapping, TracksTheMeanOfItsStyles) {
  const auto mapping = make_mapping({.z_dim = 4, .width = 2, .layers = 1, .average_beta = 0.75});
  mapping->track_average(at::tensor({4.0, 8.0}, at::kDouble));
  EXPECT_TRUE(at::allclose(mapping->average(), at::tensor({1.0, 2.0}, at::kDouble)));
  mapping->track_average(at::tensor({1.0, 2.0}, at::kDouble));
  EXPECT_TRUE(at::allclose(mapping->average(), at::tensor({1.0, 2.0}, at::kDouble)));
}

TEST(Mapping, WithoutAMeanStyleTracksNone) {
  const auto mapping = make_mapping({.z_dim = 4, .width = 2, .layers = 1});
  EXPECT_FALSE(mapping->average().defined());
  expect_error(ExitCode::kBug, "has a mean to track",
               [&] { mapping->track_average(at::zeros({2}, at::kDouble)); });
}

TEST(Mapping, WithoutLatentsAndLabelsIsABug) {
  expect_error(ExitCode::kBug, "latents or labels", [] { Mapping({.z_dim = 0}); });
}

}  // namespace
}  // namespace ganscale::models::stylegan
