#include "training/schemes/asynchronous/asynchronous.h"

#include <ATen/ATen.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <set>

#include "checkpoint/reader.h"
#include "comm/backends/thread_group.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "training/generators/trained_generator.h"
#include "training/loop/loop.h"
#include "training/replica/replica.h"
#include "training/schemes/asynchronous/discriminator_role.h"
#include "training/schemes/asynchronous/generator_role.h"
#include "unit/training/fake_training.h"
#include "unit/training/parse_text.h"
#include "unit/training/same_snapshot.h"

namespace ganscale::training {
namespace {

/// Steps of four images; ticks every two.
class Asynchronous : public FakeTraining {
 protected:
  void configure(int steps, const std::string& scheme = ", max_staleness: 0") {
    config_ = parse(
        "model: {z_dim: 2, channels: 0.125}\n"
        "scheme: {name: asynchronous" +
        scheme +
        "}\n"
        "training: {batch: 4, total_kimg: " +
        std::to_string(0.004 * steps) +
        ", tick_kimg: 0.008, grid_rows: 1, grid_columns: 2, precision: fp64}\n"
        "generator: {optimizer: {learning_rate: 0.01}, ema_kimg: 0.01, "
        "other_ema_kimg: [0.05]}\n"
        "augment: {name: ada, p: 0.5, interval_steps: 2, speed_kimg: 0.1}\n");
    config_.model.channels = 1;
  }

  /// Trains as one rank in a run folder of that name.
  ExitCode train(comm::Group& group, const std::string& run) {
    return with_context(
        group, std::make_unique<data::FakeSource>(40, config_.model.label_count),
        [&](const TrainingContext& context) {
          const Scheme& scheme = *config_.scheme.chosen;
          scheme.check_ranks(config_, group.size());
          const ExitCode code = scheme.run(context);
          const auto& ages = context.instruments.staleness_steps;
          observed_ages_ += ages.count(0) + ages.count(1);
          return code;
        },
        run);
  }

  void train(const std::string& run, int ranks = 2) {
    comm::run_ranks(ranks,
                    [&](comm::Group& group) { EXPECT_EQ(train(group, run), ExitCode::kOk); });
  }

  checkpoint::Snapshot newest(const std::string& run) const {
    return checkpoint::load_checkpoint(checkpoint::newest_valid_checkpoint(folder_ / run).value());
  }

  static constexpr std::int64_t kBatch = 4;

  std::atomic<std::uint64_t> observed_ages_ = 0;  // of at most one step, of all ranks
};

TEST_F(Asynchronous, ReportsBothRoles) {
  configure(8, ", ratio: \"1:3\", max_staleness: 1");
  config_.training.batch = 12;
  config_.training.tick_kimg = 0.024;
  config_.training.total_kimg = 0.096;
  train("run", 4);
  const auto lines = report::read_json_lines(folder_ / "run/stats.jsonl");
  ASSERT_EQ(lines.size(), 4);
  for (const auto& line : lines) {
    EXPECT_GT(line.at("loss").at("generator").get<double>(), 0);
    EXPECT_GT(line.at("loss").at("discriminator").get<double>(), 0);
    EXPECT_EQ(line.at("steps").at("generator"), 2);
    EXPECT_EQ(line.at("steps").at("discriminator"), 2);
    const auto& generator = line.at("roles").at("generator");
    const auto& discriminator = line.at("roles").at("discriminator");
    EXPECT_EQ(generator.at("ranks"), 1);
    EXPECT_EQ(generator.at("steps"), 2);
    EXPECT_EQ(generator.at("images"), 24) << "made for the discriminator";
    EXPECT_EQ(discriminator.at("ranks"), 3);
    EXPECT_EQ(discriminator.at("steps"), 2);
    EXPECT_EQ(discriminator.at("images"), 24);
    // The first step behind a tick is on the latest snapshot.
    EXPECT_GE(generator.at("staleness").at("0"), 1);
    EXPECT_GE(discriminator.at("wait_share"), 0);
  }
  EXPECT_EQ(observed_ages_, 8 * 4);
}

TEST_F(Asynchronous, RunsTheFirstStepsOfTheRolesInTurnIfCudnnBenchmarks) {
  configure(2, ", max_staleness: 2");
  train("run");
  const auto lines = report::read_json_lines(folder_ / "run/stats.jsonl");
  ASSERT_EQ(lines.size(), 1);
  for (const char* role : {"generator", "discriminator"})
    EXPECT_EQ(lines[0].at("roles").at(role).at("staleness").at("0"), 2) << role;
}

TEST_F(Asynchronous, GathersACheckpointOfBothRoles) {
  configure(4);
  train("run");
  const auto snapshot = newest("run");
  EXPECT_EQ(snapshot.images_seen, 16);
  for (const char* file : {"generator_optimizer", "discriminator_optimizer"}) {
    double sum = 0;
    for (const auto& [name, tensor] : snapshot.files.at(file))
      sum += tensor.abs().sum().item<double>();
    EXPECT_GT(sum, 0) << file;
  }
  EXPECT_TRUE(snapshot.files.contains("augmentation"));
  EXPECT_EQ(load_newest_generator(folder_ / "run").images_seen, 16);
}

// One rank that trains both networks alone.
TEST_F(Asynchronous, WithStaleness0WritesTheCheckpointOfSynchronous) {
  configure(6);
  train("asynchronous");
  config_.scheme = parse("").scheme;
  train("synchronous", 1);
  const auto actual = newest("asynchronous");
  const auto expected = newest("synchronous");
  expect_same(actual, expected, 1e-9);
  EXPECT_EQ(actual.state.at("progress").at("stream_position"),
            expected.state.at("progress").at("stream_position"));
}

// A batch norm sees the images of its own rank alone: both roles average their moving statistics.
TEST_F(Asynchronous, WithStaleness0OnTwoRanksPerRoleWritesTheCheckpointOfTwoSynchronousRanks) {
  configure(6);
  train("asynchronous", 4);
  config_.scheme = parse("").scheme;
  train("synchronous", 2);
  expect_same(newest("asynchronous"), newest("synchronous"), 1e-9);
}

// Two ranks load the images in both cases, of which nothing mixes those of a batch.
TEST_F(Asynchronous, GivesFakesTheLabelsOfTheirRealsIfShardsAreFixed) {
  const auto train_with = [&](const std::string& ratio, int ranks) {
    config_ = parse(
        "model: {name: conditional_dcgan, z_dim: 2, channels: 0.125, batch_norm: frozen}\n"
        "data: {shard: fixed}\n"
        "scheme: {name: asynchronous, max_staleness: 0, ratio: \"" +
        ratio +
        "\"}\n"
        "training: {batch: 4, total_kimg: 0.012, grid_rows: 1, grid_columns: 2, precision: fp64}\n"
        "generator: {optimizer: {learning_rate: 0.01}}\n");
    config_.model.channels = 1;
    config_.model.label_count = 3;
    train("ranks" + std::to_string(ranks), ranks);
  };
  train_with("1:2", 3);
  train_with("1:1", 4);
  expect_same(newest("ranks3"), newest("ranks4"), 1e-9);
}

TEST_F(Asynchronous, ResumesFromACheckpointAsIfItHadNotStopped) {
  configure(8);
  train("whole");
  configure(4);
  train("cut");
  configure(8);
  train("cut");
  expect_same(newest("cut"), newest("whole"));
}

TEST_F(Asynchronous, WithMeansOfEachRankResumesAsIfItHadNotStopped) {
  const auto train_to = [&](const std::string& total_kimg, const std::string& run) {
    config_ = run_with_path_lengths(total_kimg, "scheme: {name: asynchronous, max_staleness: 0}\n");
    train(run, 4);
  };
  train_to("0.024", "whole");
  train_to("0.012", "cut");
  train_to("0.024", "cut");
  const auto whole = newest("whole");
  EXPECT_EQ(whole.images_seen, 24);
  const auto means = whole.files.at("regularisation_of_ranks").at("path_length_mean");
  ASSERT_EQ(means.numel(), 2) << "two ranks train the generator";
  EXPECT_NE(means[0].item<float>(), means[1].item<float>());
  expect_same(newest("cut"), whole);
}

constexpr std::int64_t kLatents = 2;  // model.z_dim

/// Images and latents, of which those of some steps are not numbers.
class BrokenInputs : public LoadedInputs {
 public:
  using LoadedInputs::LoadedInputs;

  std::set<std::int64_t> broken;  ///< these steps; the first is 0

  StepInput next(const Progress& progress) override {
    StepInput input = LoadedInputs::next(progress);
    if (!broken.contains(progress.step)) return input;
    const at::Tensor& images = input.real.images;
    images.fill_(std::numeric_limits<double>::quiet_NaN());
    input.given[Stream::kGeneratorLatent].z = images.flatten(1).slice(1, 0, kLatents);
    return input;
  }
};

/// Trains as one rank. Returns the progress.
Progress train_with_broken_inputs(const TrainingContext& context) {
  const RunConfig& config = context.config;
  const wire::RolePlan plan({1, 1}, context.group.size());
  RoleLinks links(config, plan, context.group);
  NetworkGroups network_groups(config, links.ranks());
  Replica replica(config, context.devices, network_groups.borrowed());
  Progress progress;
  BrokenInputs inputs(config, context.dataset, at::kCPU, links.ranks(), progress);
  const RoleParts parts{config, plan, replica, links, context.group, /*max_staleness=*/1};
  std::unique_ptr<Trainer> trainer;
  if (links.role() == wire::Role::kGenerator) {
    inputs.broken = {1, 2, 20};
    trainer = std::make_unique<GeneratorRole>(parts, inputs, progress);
  } else {
    inputs.broken = {1, 5, 9};
    trainer = std::make_unique<DiscriminatorRole>(parts, inputs, progress);
  }
  EXPECT_EQ(run_loop(context, *trainer, progress), ExitCode::kOk);
  network_groups.finish();
  links.finish();
  return progress;
}

// A checkpoint is of rank 0, which trains the generator. Steps that both roles skip count once.
TEST_F(Asynchronous, CountsTheStepsThatEitherRoleSkips) {
  config_ = parse(
      "model: {z_dim: 2, channels: 0.125, batch_norm: frozen}\n"
      "scheme: {name: asynchronous}\n"
      "training: {batch: 4, total_kimg: 0.096, tick_kimg: 0.032, samples_every_kimg: 0, "
      "grid_rows: 1, grid_columns: 1}\n");
  config_.model.channels = 1;
  const std::vector<std::int64_t> skipped = {2, 3, 6, 10, 21};
  comm::run_ranks(2, [&](comm::Group& group) {
    const Progress progress =
        with_context(group, std::make_unique<data::FakeSource>(40), train_with_broken_inputs);
    EXPECT_EQ(progress.nonfinite_steps, 5);
    EXPECT_EQ(progress.recent_nonfinite_steps, skipped);
  });
  EXPECT_EQ(newest("run").state.at("progress").at("nonfinite_steps"), 5);
}

// Nothing of a checkpoint belongs to a role: it may continue with another scheme on other ranks.
TEST_F(Asynchronous, ResumesFromACheckpointOfAnotherRatioOrScheme) {
  configure(4, ", max_staleness: 2");
  train("run", 2);
  configure(8, ", ratio: \"2:1\", max_staleness: 1");
  train("run", 3);
  config_.scheme = parse("").scheme;
  config_.training.total_kimg = 0.048;
  train("run", 1);
  EXPECT_EQ(newest("run").images_seen, 48);
  EXPECT_EQ(newest("run").state.at("progress").at("step"), 12);
}

TEST_F(Asynchronous, StopsAllRanksForASignal) {
  configure(1000, ", max_staleness: 2");
  std::raise(SIGTERM);
  comm::run_ranks(2,
                  [&](comm::Group& group) { EXPECT_EQ(train(group, "run"), ExitCode::kStopped); });
  EXPECT_EQ(newest("run").images_seen, 2 * kBatch);
}

TEST_F(Asynchronous, EndsAllRanksIfOneIsLost) {
  configure(100, ", max_staleness: 2");
  unreadable_ = {0};  // a discriminator's rank fails in the first ten steps
  std::atomic<int> lost = 0;
  expect_error(ExitCode::kData, "fake, record 0", [&] {
    comm::run_ranks(4, [&](comm::Group& group) {
      try {
        train(group, "run");
      } catch (const PeerLost&) {
        ++lost;
        throw;
      }
    });
  });
  EXPECT_EQ(lost, 3);
}

TEST_F(Asynchronous, BuildsWhatItWouldUse) {
  configure(4);
  comm::run_ranks(2, [&](comm::Group& group) {
    with_context(group, std::make_unique<data::FakeSource>(40),
                 [&](const TrainingContext& context) { config_.scheme.chosen->try_run(context); });
  });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

}  // namespace
}  // namespace ganscale::training
