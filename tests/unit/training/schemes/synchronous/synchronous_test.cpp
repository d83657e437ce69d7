#include "training/schemes/synchronous/synchronous.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "comm/backends/thread_group.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// Gray noise of 32 x 32 pixels.
class Noise : public StepInputs {
 public:
  explicit Noise(std::int64_t count, int rank = 0, int ranks = 1)
      : real_{at::rand({count, 1, 32, 32}).mul(2).sub(1), {}}, rank_(rank), ranks_(ranks) {}
  StepInput next(const Progress& progress) override {
    return {real_, image_random(SeedMode::kImage, 1, rank_, ranks_, progress.images_seen)};
  }

 private:
  data::Batch real_;
  int rank_;
  int ranks_;
};

/// One rank that trains alone.
class Alone {
 public:
  explicit Alone(const std::string& yaml) : config(parse(yaml)) {
    config.model.channels = 1;
    replica.emplace(config, at::kCPU, ReplicaGroups{});
    inputs.emplace(config.training.batch);
    trainer.emplace(config, *replica, *inputs, *group);
  }

  RunConfig config;
  std::unique_ptr<comm::Group> group = comm::make_single_group();
  std::optional<Replica> replica;
  std::optional<Noise> inputs;
  std::optional<Synchronous> trainer;
  Progress progress;
};

constexpr const char* kTiny =
    "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, "
    "mapping_layers: 2}\n"
    "training: {batch: 4}\n";

// StyleGAN2's mean style is a buffer: samples are drawn toward the average's.
TEST(Synchronous, GivesTheAverageTheBuffersOfTheGenerator) {
  for (const std::string& yaml :
       {std::string(kTiny), std::string("model: {name: dcgan}\ntraining: {batch: 4}\n")}) {
    Alone alone(yaml);
    const auto first =
        ganscale::named_buffers(alone.replica->generator_ema()).begin()->second.clone();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(alone.trainer->step(alone.progress).skipped.empty());
    const auto expected = ganscale::named_buffers(alone.replica->generator());
    ASSERT_FALSE(expected.empty());
    bool has_moved = false;
    for (const auto& [name, buffer] : ganscale::named_buffers(alone.replica->generator_ema())) {
      EXPECT_TRUE(at::equal(buffer, expected.at(name))) << name;
      has_moved |=
          name.find("w_avg") != std::string::npos || name.find("mean") != std::string::npos;
    }
    EXPECT_TRUE(has_moved) << yaml;
  }
}

TEST(Synchronous, CountsStepsOfEachNetworkAndImages) {
  Alone alone("training: {batch: 4}\nloss: {name: wasserstein, critic_steps: 3}\n");
  std::int64_t generator_steps = 0;
  std::int64_t discriminator_steps = 0;
  for (int i = 0; i < 7; ++i) {
    const StepResult result = alone.trainer->step(alone.progress);
    EXPECT_EQ(result.images, 4);
    generator_steps += result.generator_steps;
    discriminator_steps += result.discriminator_steps;
  }
  EXPECT_EQ(generator_steps, 3);
  EXPECT_EQ(discriminator_steps, 7);
  EXPECT_EQ(alone.progress.step, 7);
  EXPECT_EQ(alone.progress.images_seen, 28);
  EXPECT_EQ(alone.progress.stream_position, 28);
}

TEST(Synchronous, ReportsWhatItNamed) {
  Alone alone(std::string(kTiny) + "discriminator: {r1_gamma: 1}\n");
  const auto names = alone.trainer->statistic_names();
  for (const auto& [name, value] : alone.trainer->step(alone.progress).statistics) {
    EXPECT_TRUE(std::ranges::count(names, name) == 1) << name;
  }
  EXPECT_EQ(alone.trainer->phase_names(), (std::vector<std::string>{"Gmain", "Dmain", "Dreg"}));
}

// Of the generator's last update, so that it moves the average in the same pass, none is left.
TEST(Synchronous, MovesTheAverageIfTheLastUpdateIsSkipped) {
  Alone alone("training: {batch: 4}\ngenerator: {ema_kimg: 0}\n");
  const auto weights = alone.replica->generator().parameters();
  {
    const at::NoGradGuard no_grad;
    weights.front().view(-1)[0].fill_(std::numeric_limits<double>::quiet_NaN());
    weights.back().fill_(0.5);  // where the average is not yet
  }
  EXPECT_FALSE(alone.trainer->step(alone.progress).skipped.empty());
  EXPECT_TRUE(at::equal(alone.replica->generator_ema().parameters().back(),
                        alone.replica->generator().parameters().back()));
}

/// Makes a step on two ranks, of four images each, and then uses what each has.
void step_on_two_ranks(const RunConfig& config,
                       const std::function<void(std::size_t, Replica&, Synchronous&)>& use) {
  comm::run_ranks(2, [&](comm::Group& group) {
    Replica replica(config, at::kCPU, {});
    Noise inputs(4, group.rank(), group.size());
    Synchronous trainer(config, replica, inputs, group);
    Progress progress;
    EXPECT_TRUE(trainer.step(progress).skipped.empty());
    use(static_cast<std::size_t>(group.rank()), replica, trainer);
  });
}

// A batch norm sees the images of its own rank alone.
TEST(Synchronous, AveragesTheMovingStatisticsOfBothNetworksOverTheRanks) {
  RunConfig config = parse("training: {batch: 8}\n");
  config.model.channels = 1;
  std::array<std::array<NamedTensors, 2>, 2> seen;  // of each rank: generator, discriminator
  step_on_two_ranks(config, [&](std::size_t rank, Replica& replica, Synchronous& /*trainer*/) {
    seen.at(rank) = {replica.generator().moving_statistics(),
                     replica.discriminator().moving_statistics()};
  });
  for (std::size_t network = 0; network < 2; ++network) {
    ASSERT_FALSE(seen[0].at(network).empty());
    for (const auto& [name, tensor] : seen[0].at(network)) {
      EXPECT_TRUE(at::equal(tensor, seen[1].at(network).at(name))) << name;
    }
  }
}

// Of which a checkpoint has rank 0's.
TEST(Synchronous, GivesTheAveragesTheStatisticsOfRank0IfEachRankHasItsOwn) {
  RunConfig config = parse(
      "training: {batch: 8, running_means: local}\n"
      "generator: {ema_kimg: 10, other_ema_kimg: [2]}\n");
  config.model.channels = 1;
  constexpr const char* kMean = "conv_blocks.0.running_mean";
  std::array<std::array<at::Tensor, 3>, 2> means;  // of each rank: generator, averages
  step_on_two_ranks(config, [&](std::size_t rank, Replica& replica, Synchronous& trainer) {
    const auto mean_of = [&](const torch::nn::Module& network) {
      return ganscale::named_buffers(network).at(kMean);
    };
    means.at(rank) = {mean_of(replica.generator()), mean_of(trainer.averaged_generator()),
                      mean_of(*trainer.other_averages().front().generator)};
  });
  const auto& [first, second] = means;
  EXPECT_FALSE(at::equal(first[0], second[0]));
  for (const auto& averages : {first, second}) {
    EXPECT_TRUE(at::equal(averages[1], first[0]));
    EXPECT_TRUE(at::equal(averages[2], first[0]));
  }
}

TEST(Synchronous, AdaptsTheAugmentationAtItsInterval) {
  Alone alone(
      "training: {batch: 4}\n"
      "augment: {name: ada, p: 0.5, interval_steps: 2, speed_kimg: 0.08}\n");
  alone.trainer->step(alone.progress);
  EXPECT_EQ(alone.trainer->readings().augment_p, 0.5);
  alone.trainer->step(alone.progress);
  EXPECT_NEAR(std::abs(alone.trainer->readings().augment_p.value() - 0.5), 8 / 80.0, 1e-6);
}

TEST(Synchronous, AgreesInEachStepOnACpu) {
  EXPECT_EQ(Alone("training: {batch: 4}\n").trainer->steps_between_agreements(), 1);
}

}  // namespace
}  // namespace ganscale::training
