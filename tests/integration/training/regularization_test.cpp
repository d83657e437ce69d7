// The curves of R1 and of the path length fall where the penalties have weight.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "comm/backends/thread_group.h"
#include "comm/collectives/bucketed_gradients.h"
#include "training/phases/build_phases.h"
#include "training/run/parse_run.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::training {
namespace {

constexpr int kResolution = 16;
constexpr int kBatch = 8;

/// Images of eight Gaussians: each a bright spot at one of eight positions on a circle.
at::Tensor eight_gaussians() {
  const auto pixels = at::arange(kResolution, at::kFloat);
  std::vector<at::Tensor> images;
  for (int i = 0; i < kBatch; ++i) {
    const double angle = i % 8 * std::acos(-1.0) / 4;
    const auto bell = [&](double center) { return (pixels - center).square().div(-3).exp(); };
    const double middle = (kResolution - 1) / 2.0;
    images.push_back(
        at::outer(bell(middle + 5 * std::sin(angle)), bell(middle + 5 * std::cos(angle))));
  }
  return at::stack(images).mul(2).sub(1).unsqueeze(1);
}

RunConfig small_config() {
  RunConfig config = parse_run(config::parse_yaml(
      "model: {name: stylegan2, resolution: 16, z_dim: 16, w_dim: 16, channel_base: 256, "
      "channel_max: 16, mapping_layers: 2}\n"
      "training: {batch: 8}\n"
      "generator: {optimizer: {learning_rate: 0.0025, betas: [0, 0.99]}, path_length_interval: 2, "
      "path_length_weight: 1}\n"
      "discriminator: {optimizer: {learning_rate: 0.0025, betas: [0, 0.99]}, r1_interval: 2, "
      "r1_gamma: 1}\n",
      "test"));
  config.model.channels = 1;
  return config;
}

/// The eight Gaussians in every step.
class Gaussians : public StepInputs {
 public:
  StepInput next(const Progress& progress) override {
    return {real_, image_random(SeedMode::kImage, 1, 0, 1, progress.images_seen)};
  }

 private:
  data::Batch real_{eight_gaussians(), {}};
};

/// The mean of the last third of a curve.
double end_of(const std::vector<double>& curve) {
  const auto count = static_cast<std::ptrdiff_t>(curve.size() / 3);
  return std::accumulate(curve.end() - count, curve.end(), 0.0) / static_cast<double>(count);
}

// Without weight, D's gradient at the reals grows as it learns; with it, the same D's falls.
TEST(Regularization, MakesTheCurveOfR1Fall) {
  at::set_num_threads(1);
  RunConfig config = small_config();
  const auto alone = comm::make_single_group();
  Replica replica(config, at::kCPU, {});
  Gaussians inputs;
  Synchronous trainer(config, replica, inputs, *alone);
  Progress progress;
  const auto squared_gradients = [&](int steps, double gamma) {
    config.discriminator.penalties.r1_gamma = gamma;
    std::vector<double> curve;
    for (int i = 0; i < steps; ++i) {
      const auto seen = trainer.step(progress).statistics;
      if (!seen.contains("loss/r1")) continue;
      curve.push_back(seen.at("loss/r1").item<double>() / (gamma / 2));
    }
    return curve;
  };
  const auto without = squared_gradients(180, 1e-4);
  const auto with = squared_gradients(90, 10);
  EXPECT_GT(end_of(without), 2 * without.front());
  EXPECT_LT(end_of(with), 0.5 * end_of(without));
}

/// Trains G by its path lengths alone, at this rate, and returns their variance over their squared
/// mean, step by step.
std::vector<double> path_variances(double learning_rate) {
  RunConfig config = small_config();
  config.generator.path_length.decay = 0.1;
  const auto alone = comm::make_single_group();
  Replica replica(config, at::kCPU, {});
  comm::BucketedGradients gradients(replica.generator().parameters(), *alone, 1 << 20);
  auto phases = build_phases(config, replica, {&gradients, nullptr}, *alone);
  Phase& phase = phases[1];
  EXPECT_EQ(phase.name, "Greg");
  const data::Batch real{eight_gaussians(), {}};
  std::vector<double> curve;
  for (std::int64_t i = 0; i < 150; ++i) {
    // The moving mean first has to converge to the lengths.
    phase.learning_rate = [&](std::int64_t) { return i < 50 ? 0 : learning_rate; };
    const auto images = image_random(SeedMode::kImage, 1, 0, 1, i * kBatch);
    const auto seen = compute_gradients(phase, {real, images}).statistics;
    EXPECT_EQ(update_network(phase, 0)[0].item<float>(), 0);
    curve.push_back(seen.at("loss/path_length").item<double>() /
                    std::pow(seen.at("path_length").item<double>(), 2));
  }
  return curve;
}

TEST(Regularization, MakesTheCurveOfThePathLengthsFall) {
  at::set_num_threads(1);
  EXPECT_LT(end_of(path_variances(0.01)), 0.6 * end_of(path_variances(0)));
}

}  // namespace
}  // namespace ganscale::training
