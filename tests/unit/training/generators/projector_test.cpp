#include "training/generators/projector.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

/// A small generator whose images differ by style. model: its name, and other keys.
std::shared_ptr<models::Generator> make_generator(const std::string& model = "stylegan2") {
  auto config = parse_run(config::parse_yaml(
      "model: {resolution: 16, z_dim: 16, w_dim: 16, mapping_layers: 2, channel_base: 128, "
      "channel_max: 16, name: " +
          model + "}",
      "test"));
  config.model.channels = 3;
  auto generator = models::build_generator(config.model, 5, nullptr);
  generator->eval();
  for (auto& parameter : generator->parameters()) parameter.set_requires_grad(false);
  return generator;
}

TEST(PyramidDistance, AddsUpTheMeanSquaresOfAllLevels) {
  const auto zeros = at::zeros({1, 1, 16, 16}, at::kDouble);
  EXPECT_DOUBLE_EQ(pyramid_distance(zeros, zeros + 3).item<double>(), 9 + 9);
  const auto stripes = at::tensor({1.0, -1.0}, at::kDouble).repeat({16, 8}).view({1, 1, 16, 16});
  EXPECT_DOUBLE_EQ(pyramid_distance(zeros, stripes).item<double>(), 1);  // gone at half the size
}

TEST(Project, ComesNearerToAnImageOfTheGeneratorAndLeavesItAsItWas) {
  const auto generator = make_generator();
  auto& style = dynamic_cast<models::StyleGenerator&>(*generator);
  kernels::RandomStream unused({0, 0, 1}, Stream::kSamples);
  const auto z = kernels::random_normal({7, 0, 1}, Stream::kSamples, 0, {1, 16}, at::kFloat);
  const auto w = style.map(z * 2, {}, {});
  const auto target = style.synthesize(w, unused).detach();
  std::map<std::string, at::Tensor> before;
  for (const auto& [name, tensor] : named_state(*generator)) before[name] = tensor.clone();

  std::vector<double> distances;
  const auto found = project(style, target, {.step_count = 150, .mean_samples = 500},
                             [&](int, double distance) { distances.push_back(distance); });
  ASSERT_EQ(distances.size(), 150U);
  EXPECT_LT(found.distance, distances.front() / 4);
  EXPECT_EQ(found.style.sizes(), w.sizes());
  EXPECT_EQ(found.image.sizes(), target.sizes());
  EXPECT_EQ(found.noise_maps.size(), 5U);  // 4x4 has one layer, 8x8 and 16x16 two each
  for (const auto& [name, tensor] : named_state(*generator)) {
    EXPECT_TRUE(at::equal(tensor, before.at(name))) << name;
    EXPECT_FALSE(tensor.requires_grad()) << name;
  }
}

TEST(Project, FindsTheStyleOfAGeneratorWithoutNoise) {
  const auto generator = make_generator("stylegan3, layers: 4, margin: 4");
  auto& style = dynamic_cast<models::StyleGenerator&>(*generator);
  kernels::RandomStream unused({0, 0, 1}, Stream::kSamples);
  const auto z = kernels::random_normal({7, 0, 1}, Stream::kSamples, 0, {1, 16}, at::kFloat);
  const auto target = style.synthesize(style.map(z * 2, {}, {}), unused).detach();
  std::vector<double> distances;
  const auto found = project(style, target, {.step_count = 100, .mean_samples = 100},
                             [&](int, double distance) { distances.push_back(distance); });
  EXPECT_TRUE(found.noise_maps.empty());
  EXPECT_LT(found.distance, distances.front());
}

/// Embeds an image as the mean of each color: the distance compares mean colors.
class MeanColors : public metrics::PerceptualNet {
  at::Tensor compute(const at::Tensor& images) override { return images.mean({2, 3}); }
};

TEST(Project, MinimizesThePerceptualDistanceThatItIsGiven) {
  const auto generator = make_generator();
  auto& style = dynamic_cast<models::StyleGenerator&>(*generator);
  const auto target = at::tensor({0.1F, -0.2F, 0.15F}).view({1, 3, 1, 1}).expand({1, 3, 16, 16});
  MeanColors net;
  std::vector<double> distances;
  const auto found =
      project(style, target, {.step_count = 100, .mean_samples = 100, .perceptual_net = &net},
              [&](int, double distance) { distances.push_back(distance); });
  const auto colors = (found.image - target).mean({0, 2, 3}) * 127.5;
  const double expected = colors.square().sum().item<double>();
  EXPECT_NEAR(found.distance, expected, 1e-3 * expected + 1e-6);
  EXPECT_LT(found.distance, distances.front() / 10);
  EXPECT_GT(pyramid_distance(found.image, target).item<double>(), 0);
}

}  // namespace
}  // namespace ganscale::training
