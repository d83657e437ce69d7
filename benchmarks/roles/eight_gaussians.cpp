// Trains a small network on eight Gaussians of a ring, by scheme synchronous on one rank and by
// scheme asynchronous with a bound of 2 on two, with three seeds each, and reports how many of the
// Gaussians the samples reach and how many samples lie within three standard deviations of one.
//   eight_gaussians [STEPS [KEY=VALUE ...]]
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "comm/backends/thread_group.h"
#include "models/layers/initial_weights.h"
#include "models/layers/linear.h"
#include "models/model_table.h"
#include "training/run/parse_run.h"
#include "training/schemes/asynchronous/discriminator_role.h"
#include "training/schemes/asynchronous/generator_role.h"
#include "training/schemes/synchronous/synchronous.h"

namespace {

using namespace ganscale;            // NOLINT: a program of one file
using namespace ganscale::training;  // NOLINT

constexpr int kModes = 8;
constexpr double kSigma = 0.05;  // of each Gaussian; the ring has radius 1
constexpr double kNeededShare = 0.9;
constexpr int kHiddenLayers = 3;  // with two, G is too smooth to leave few samples between modes
constexpr int kWidth = 128;
constexpr int kLatents = 2;

/// Fully connected layers.
class Perceptron : public torch::nn::Module {
 public:
  Perceptron(int in, int out) {
    for (int i = 0; i < kHiddenLayers; ++i) add_layer(i == 0 ? in : kWidth, kWidth);
    add_layer(kWidth, out);
  }

  at::Tensor forward(const at::Tensor& x) const {
    auto hidden = x;
    for (int i = 0; i < kHiddenLayers; ++i)
      hidden = at::leaky_relu(layers_[static_cast<std::size_t>(i)]->forward(hidden), 0.2);
    return layers_.back()->forward(hidden);
  }

 private:
  void add_layer(int in, int out) {
    layers_.push_back(register_module("layer" + std::to_string(layers_.size()),
                                      std::make_shared<models::Linear>(in, out)));
  }

  std::vector<std::shared_ptr<models::Linear>> layers_;
};

class PointGenerator : public models::Generator {
 public:
  PointGenerator(ganscale::ImageShape image, int z_dim)
      : Generator(image, z_dim, /*label_count=*/0),
        layers_(register_module("layers", std::make_shared<Perceptron>(z_dim, image.channels))) {}
  at::Tensor forward(const at::Tensor& z, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*random*/) override {
    return layers_->forward(z).unsqueeze(2).unsqueeze(3);
  }

 private:
  std::shared_ptr<Perceptron> layers_;
};

class PointDiscriminator : public models::Discriminator {
 public:
  explicit PointDiscriminator(ganscale::ImageShape image)
      : Discriminator(image, /*label_count=*/0),
        layers_(register_module("layers", std::make_shared<Perceptron>(image.channels, 1))) {}
  at::Tensor forward(const at::Tensor& images, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*random*/) override {
    return layers_->forward(images.flatten(1)).squeeze(1);
  }

 private:
  std::shared_ptr<Perceptron> layers_;
};

class PointBlueprint : public models::Blueprint {
 public:
  std::shared_ptr<models::Generator> generator(const models::BuildContext& in) const override {
    auto network = std::make_shared<PointGenerator>(in.image, kLatents);
    if (in.seed) models::initialize_he(*network, "generator", *in.seed);
    return network;
  }
  std::shared_ptr<models::Discriminator> discriminator(
      const models::BuildContext& in) const override {
    auto network = std::make_shared<PointDiscriminator>(in.image);
    if (in.seed) models::initialize_he(*network, "discriminator", *in.seed);
    return network;
  }
};

void read_points(config::Section& /*in*/, models::ModelConfig& config) {
  config.blueprint = std::make_shared<PointBlueprint>();
}

constexpr const char* kRecipe =
    "model: {name: points}\n"
    "training: {batch: 256}\n"
    "generator:\n"
    "  optimizer: {learning_rate: 0.003, betas: [0, 0.99], schedule: {name: linear}}\n"
    "  ema_kimg: 20\n"
    "discriminator:\n"
    "  optimizer: {learning_rate: 0.003, betas: [0, 0.99], schedule: {name: linear}}\n"
    "  r1_gamma: 0.005\n"
    "  r1_interval: 4\n";

RunConfig make_config(int seed, int steps, const std::vector<std::string>& assignments) {
  const auto table = models::model_table();
  std::vector<models::Model> all(table.begin(), table.end());
  all.push_back({"points", {}, read_points});
  config::Node recipe = config::parse_yaml(kRecipe, "benchmark");
  for (const auto& assignment : assignments)
    config::overlay(recipe, config::parse_assignment(assignment));
  RunConfig run = parse_run(std::move(recipe), {}, all);
  run.training.seed = static_cast<std::uint64_t>(seed);
  run.training.total_kimg = static_cast<double>(run.training.batch * steps) / 1000;
  run.model.channels = 2;
  run.model.resolution = 1;
  return run;
}

/// Returns the centers of the Gaussians, [8, 2].
at::Tensor centers() {
  const auto angle = at::arange(kModes, at::kFloat) * (2 * std::numbers::pi / kModes);
  return at::stack({angle.cos(), angle.sin()}, 1);
}

/// Points as images of one pixel and two channels.
class Points : public StepInputs {
 public:
  Points(const RunConfig& config, const comm::Group& group) : config_(config), group_(group) {}

  StepInput next(const Progress& progress) override {
    const auto numbers = image_random(SeedMode::kImage, config_.training.seed, group_.rank(),
                                      group_.size(), progress.images_seen);
    const std::int64_t N = config_.training.batch / group_.size();
    const auto mode = kernels::random_labels(numbers, Stream::kEvaluate, 0, kModes, N);
    const auto offset = kernels::random_normal(numbers, Stream::kEvaluate, 1, {N, 2}, at::kFloat);
    const auto points = centers().index_select(0, mode) + offset * kSigma;
    return {{points.unsqueeze(2).unsqueeze(3), {}}, numbers};
  }

 private:
  const RunConfig& config_;
  const comm::Group& group_;
};

struct Score {
  int modes = 0;     ///< with a hundredth of the samples each, within three standard deviations
  double share = 0;  ///< of samples within three standard deviations of a center
};

Score score(models::Generator& generator) {
  const at::NoGradGuard no_grad;
  constexpr std::int64_t kSamples = 10'000;
  const ImageRandom numbers{.seed = 1};
  kernels::RandomStream noise(numbers, Stream::kSamples);
  const auto z = kernels::random_normal(numbers, Stream::kSamples, 0, {kSamples, generator.z_dim()},
                                        at::kFloat);
  const auto points = generator.forward(z, {}, noise).flatten(1);
  const auto distances = (points.unsqueeze(1) - centers().unsqueeze(0)).square().sum(2).sqrt();
  const auto [nearest, mode] = distances.min(1);
  const auto counts = at::bincount(mode.masked_select(nearest.le(3 * kSigma)), {}, kModes);
  return {.modes = static_cast<int>(counts.ge(kSamples / 100).sum().item<std::int64_t>()),
          .share = counts.sum().item<double>() / kSamples};
}

Score train_synchronous(const RunConfig& config, int steps) {
  const auto alone = comm::make_single_group();
  Replica replica(config, at::kCPU, {});
  Points inputs(config, *alone);
  Synchronous trainer(config, replica, inputs, *alone);
  Progress progress;
  while (progress.step < steps) trainer.step(progress);
  return score(replica.generator_ema());
}

Score train_asynchronous(const RunConfig& config, int steps) {
  Score result;
  comm::run_ranks(2, [&](comm::Group& world) {
    const wire::RolePlan plan({1, 1}, world.size());
    RoleLinks links(config, plan, world);
    Replica replica(config, at::kCPU, {});
    Points inputs(config, links.ranks());
    const RoleParts parts{config, plan, replica, links, world, /*max_staleness=*/2};
    std::unique_ptr<Trainer> trainer;
    if (world.rank() == 0) trainer = std::make_unique<GeneratorRole>(parts, inputs, Progress{});
    if (world.rank() == 1) trainer = std::make_unique<DiscriminatorRole>(parts, inputs, Progress{});
    Progress progress;
    while (progress.step < steps) trainer->step(progress);
    trainer->reconcile(progress);
    if (world.rank() == 0) result = score(replica.generator_ema());
  });
  return result;
}

bool print_line(const char* scheme, int seed, const Score& score) {
  const bool holds = score.modes == kModes && score.share >= kNeededShare;
  std::printf("%-24s seed %d  %d modes  %5.1f%% of samples\n", scheme, seed, score.modes,
              score.share * 100);
  std::fflush(stdout);
  return holds;
}

}  // namespace

int main(int count, char** words) {
  at::set_num_threads(1);
  const int steps = count > 1 ? std::atoi(words[1]) : 10'000;
  const std::vector<std::string> assignments(words + std::min(count, 2), words + count);
  bool holds = true;
  for (const int seed : {1, 2, 3}) {
    const RunConfig config = make_config(seed, steps, assignments);
    holds &= print_line("synchronous", seed, train_synchronous(config, steps));
    holds &= print_line("asynchronous, bound 2", seed, train_asynchronous(config, steps));
  }
  return holds ? 0 : 1;
}
