#include "training/schemes/synchronous/train_run.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "checkpoint/reader.h"
#include "comm/backends/thread_group.h"
#include "files/folder_lock.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "support/observed_group.h"
#include "training/evaluation/metrics_log.h"
#include "unit/training/fake_training.h"
#include "unit/training/parse_text.h"
#include "unit/training/same_snapshot.h"
#include "unit/training/write_feature_net.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kRecords = 40;

/// Six steps of four images, measured after every second.
class TrainRun : public FakeTraining {
 protected:
  TrainRun() {
    config_ = parse(
        "model: {z_dim: 2, channels: 0.125, batch_norm: frozen}\n"
        "training: {batch: 4, total_kimg: 0.024, tick_kimg: 0.008, grid_rows: 1, "
        "grid_columns: 2, precision: fp64}\n"
        "generator: {optimizer: {learning_rate: 0.01}, ema_kimg: 0, other_ema_kimg: [0.01]}\n"
        "evaluate: {metrics: [fid24, kid24], every_kimg: 0.008, batch: 16}\n"
        "checkpoint: {keep_last: 1, keep_best: fid24}\n");
    config_.model.channels = 1;
    config_.evaluate.feature_net.file = folder_ / "net.pt";
    config_.evaluate.cache = folder_ / "cache";
    mend_net();
  }

  void write_net(const std::string& rest) {
    write_feature_net(config_.evaluate.feature_net.file, rest);
  }

  /// Measures what needs no real features: their network would fail, too.
  void measure_only_fakes() {
    config_.evaluate.metrics = {metrics::parse_metric("is24")};
    config_.evaluate.splits = 2;
    config_.checkpoint.keep_best = "is24";
  }
  /// Has evaluations fail: the images that a network is validated with start with 0, 1.
  void break_net() {
    write_net(
        "  known = (x[:, 0, 0, 1] == 1).unsqueeze(1)\n"
        "  return torch.where(known, y, torch.full_like(y, float('nan'))), y\n");
  }
  void mend_net() { write_net("  return y, y\n"); }

  /// Trains as one rank of the group.
  ExitCode train(comm::Group& group) {
    return with_context(
        group, std::make_unique<data::FakeSource>(kRecords), [&](TrainingContext context) {
          const Dataset& dataset = context.dataset;
          Evaluator evaluator(config_.evaluate, {*dataset.source, dataset.policy}, at::kCPU, group);
          context.evaluator = &evaluator;
          return training::train(context).code;
        });
  }

  ExitCode train_alone() { return train(*comm::make_single_group()); }

  std::vector<nlohmann::ordered_json> lines() const {
    return report::read_json_lines(folder().metrics());
  }
  auto checkpoints() const { return checkpoint::list_checkpoints(folder().root()); }

  /// Nothing was measured.
  void expect_only_a_checkpoint_of_the_first_step() const {
    ASSERT_EQ(checkpoints().size(), 1);
    EXPECT_EQ(checkpoints().front().images_seen, 4);
    EXPECT_TRUE(lines().empty());
  }
};

TEST_F(TrainRun, MeasuresTheSameOnTwoRanksAsOnOne) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto one = lines();
  std::filesystem::remove_all(folder().root());
  comm::run_ranks(2, [&](comm::Group& group) { EXPECT_EQ(train(group), ExitCode::kOk); });
  const auto two = lines();
  ASSERT_EQ(one.size(), 3);
  ASSERT_EQ(two.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one[i].at("images_seen"), 8 * (i + 1));
    EXPECT_EQ(two[i].at("images_seen"), 8 * (i + 1));
    for (const char* name : {"fid24", "kid24"}) {
      const double value = one[i].at(name).get<double>();
      EXPECT_NEAR(two[i].at(name).get<double>(), value, 1e-6 * std::abs(value)) << i << " " << name;
    }
  }
  EXPECT_NE(one[0].at("fid24"), one[2].at("fid24"));
}

// With ema_kimg 0 the average is the generator itself.
TEST_F(TrainRun, MeasuresEachAverageAsIfItWereAlone) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto both = lines();
  std::filesystem::remove_all(folder().root());
  config_.generator.ema = {.kimg = 0.01};
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto other = lines();
  ASSERT_EQ(both.size(), other.size());
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_EQ(both[i].at("fid24_ema_0.01"), other[i].at("fid24")) << i;
  }
  EXPECT_NE(both[0].at("fid24_ema_0.01"), both[0].at("fid24"));
}

TEST_F(TrainRun, ReadsTheFirstBatchInADryRun) {
  for (int record = 0; record < kRecords; ++record) unreadable_.insert(record);
  const auto alone = comm::make_single_group();
  expect_error(ExitCode::kData, "fake, record", [&] {
    with_context(*alone, std::make_unique<data::FakeSource>(kRecords),
                 [](const TrainingContext& context) { try_training(context); });
  });
}

TEST_F(TrainRun, FinishesTheGroupsOfItsNetworks) {
  const auto alone = comm::make_single_group();
  std::map<std::string, int> operations;
  comm::ObservedGroup observed(*alone,
                               [&](std::string_view name) { ++operations[std::string(name)]; });
  ASSERT_EQ(train(observed), ExitCode::kOk);
  EXPECT_EQ(operations["finish"], operations["split"]);
  EXPECT_GT(operations["split"], 0);
}

TEST_F(TrainRun, KeepsTheBestCheckpointAndTheLast) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  std::map<std::int64_t, double> expected;
  for (const auto& line : lines()) expected[line.at("images_seen")] = line.at("fid24");
  const auto best =
      std::ranges::min_element(expected, {}, &std::map<std::int64_t, double>::value_type::second)
          ->first;
  std::erase_if(expected, [&](const auto& item) { return item.first != best && item.first != 24; });
  std::map<std::int64_t, double> kept;
  for (const auto& info : checkpoints()) {
    EXPECT_EQ(info.defect, "");
    kept[info.images_seen] = info.metrics.at("fid24");
  }
  EXPECT_EQ(kept, expected);
}

TEST_F(TrainRun, WritesACheckpointBeforeEachEvaluation) {
  config_.checkpoint = {.every_kimg = 0, .keep_last = 0};
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto measured = lines();
  const auto written = checkpoints();
  ASSERT_EQ(measured.size(), 3);
  ASSERT_EQ(written.size(), 3);
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(written[i].images_seen, measured[i].at("images_seen"));
    EXPECT_EQ(written[i].metrics.at("fid24"), measured[i].at("fid24"));
  }
}

// At a barrier, which has none. The other ranks are there before the checkpoint is written.
TEST_F(TrainRun, WaitsWithoutATimeoutForTheCheckpointBeforeAnEvaluation) {
  std::vector<std::string> operations;  // from then on
  const auto alone = comm::make_single_group();
  comm::ObservedGroup observed(*alone, [&](std::string_view name) {
    if (!checkpoints().empty()) operations.emplace_back(name);
  });
  ASSERT_EQ(train(observed), ExitCode::kOk);
  ASSERT_FALSE(operations.empty());
  EXPECT_EQ(operations.front(), "barrier");
}

// With them, rank 0 reads earlier checkpoints to know which ones to delete.
TEST_F(TrainRun, WaitsWithoutATimeoutForTheMetricsInTheCheckpoint) {
  std::vector<std::string> operations;  // from then on
  const auto alone = comm::make_single_group();
  comm::ObservedGroup observed(*alone, [&](std::string_view name) {
    const auto written = checkpoints();
    const bool has_metrics =
        std::ranges::any_of(written, [](const auto& info) { return !info.metrics.empty(); });
    if (has_metrics) operations.emplace_back(name);
  });
  ASSERT_EQ(train(observed), ExitCode::kOk);
  ASSERT_FALSE(operations.empty());
  EXPECT_EQ(operations.front(), "barrier");
}

TEST_F(TrainRun, MeasuresWhenItsBudgetEnds) {
  config_.evaluate.every_kimg = 0;
  config_.budget.wall_seconds = 1e-6;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  ASSERT_EQ(lines().size(), 1);
  EXPECT_EQ(lines().front().at("images_seen"), 4);
}

TEST_F(TrainRun, DoesNotMeasureIfASignalInterruptsIt) {
  std::raise(SIGTERM);
  EXPECT_EQ(train_alone(), ExitCode::kStopped);
  EXPECT_TRUE(lines().empty());
  EXPECT_EQ(checkpoints().size(), 1);
}

TEST_F(TrainRun, DoesNotMeasureWhenItIsInterruptedEvenIfThatIsDue) {
  config_.evaluate.every_kimg = 0.004;
  std::raise(SIGTERM);
  EXPECT_EQ(train_alone(), ExitCode::kStopped);
  expect_only_a_checkpoint_of_the_first_step();
  const StopSignal forgotten;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  ASSERT_EQ(lines().size(), 6) << "the resumed run makes up for it";
  EXPECT_EQ(lines().front().at("images_seen"), 4);
}

// By the order of the command "stop", which the end of a measured window is, too.
TEST_F(TrainRun, DoesNotMeasureWhenItIsEndedEarlyEvenIfThatIsDue) {
  config_.evaluate.every_kimg = 0.004;
  config_.measure = {.warmup_steps = 0, .steps = 1};
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  expect_only_a_checkpoint_of_the_first_step();
}

TEST_F(TrainRun, MeasuresWhenItIsCompleteEvenIfItIsInterrupted) {
  config_.training.total_kimg = 0.004;
  std::raise(SIGTERM);
  EXPECT_EQ(train_alone(), ExitCode::kStopped);
  ASSERT_EQ(lines().size(), 1);
  EXPECT_EQ(lines().front().at("images_seen"), 4);
}

TEST_F(TrainRun, WithMeansOfEachRankResumesAsIfItHadNotStopped) {
  const auto train_to = [&](const std::string& total_kimg, const std::string& run) {
    config_ = run_with_path_lengths(total_kimg);
    comm::run_ranks(2, [&](comm::Group& group) {
      with_context(
          group, std::make_unique<data::FakeSource>(kRecords),
          [](const TrainingContext& context) {
            EXPECT_EQ(training::train(context).code, ExitCode::kOk);
          },
          run);
    });
  };
  train_to("0.024", "whole");
  train_to("0.012", "cut");
  train_to("0.024", "cut");
  const auto newest = [&](const char* run) {
    return checkpoint::load_checkpoint(checkpoint::newest_valid_checkpoint(folder_ / run).value());
  };
  const auto whole = newest("whole");
  EXPECT_TRUE(whole.files.contains("regularisation_of_ranks"));
  EXPECT_EQ(whole.images_seen, 24);
  expect_same(newest("cut"), whole);
}

TEST_F(TrainRun, LosesNothingIfTheLastEvaluationFails) {
  measure_only_fakes();
  config_.evaluate.every_kimg = 0;
  break_net();
  expect_error(ExitCode::kData, "NaN or infinity for a generated image", [&] { train_alone(); });
  ASSERT_EQ(checkpoints().size(), 1);
  EXPECT_EQ(checkpoints().front().images_seen, 24);
  EXPECT_TRUE(lines().empty());
  mend_net();
  EXPECT_EQ(train_alone(), ExitCode::kOk);  // measures what is there
  ASSERT_EQ(lines().size(), 1);
  EXPECT_EQ(lines().front().at("images_seen"), 24);
  EXPECT_EQ(checkpoints().front().metrics.at("is24"), lines().front().at("is24"));
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(lines().size(), 1);
}

TEST_F(TrainRun, LosesNothingIfTheEvaluationAtTheEndOfItsBudgetFails) {
  measure_only_fakes();
  config_.evaluate.every_kimg = 0;
  config_.budget.wall_seconds = 1e-6;
  break_net();
  expect_error(ExitCode::kData, "NaN or infinity for a generated image", [&] { train_alone(); });
  expect_only_a_checkpoint_of_the_first_step();
  mend_net();
  for (int start = 0; start < 2; ++start) {
    EXPECT_EQ(train_alone(), ExitCode::kOk);
    ASSERT_EQ(lines().size(), 1);
    EXPECT_EQ(lines().front().at("images_seen"), 4);
  }
}

TEST_F(TrainRun, MakesUpForAnEvaluationAndTrainsAsIfItHadNotFailed) {
  measure_only_fakes();
  config_.checkpoint.keep_last = 0;
  const auto newest = [&] {
    return checkpoint::load_checkpoint(
        checkpoint::newest_valid_checkpoint(folder().root()).value());
  };
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto undisturbed = lines();
  const auto last = newest();
  std::filesystem::remove_all(folder().root());
  break_net();
  expect_error(ExitCode::kData, "NaN or infinity for a generated image", [&] { train_alone(); });
  ASSERT_EQ(checkpoints().size(), 1);
  EXPECT_TRUE(lines().empty());
  mend_net();
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  const auto resumed = lines();
  ASSERT_EQ(undisturbed.size(), 3);
  ASSERT_EQ(resumed.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(resumed[i].at("images_seen"), 8 * (i + 1));
    EXPECT_EQ(resumed[i].at("is24"), undisturbed[i].at("is24")) << i;
  }
  EXPECT_EQ(checkpoints().front().metrics.at("is24"), resumed.front().at("is24"));
  expect_same(newest(), last);
}

// By what another attempt, which takes the run over meanwhile, keeps it from writing.
TEST_F(TrainRun, WritesMetricsToTheCheckpointBeforeTheirLine) {
  config_.training.total_kimg = 0.004;
  setenv(wire::environment::kAttempt, "first", /*overwrite=*/1);
  std::optional<files::FolderLock> other;
  const auto alone = comm::make_single_group();
  comm::ObservedGroup observed(*alone, [&](std::string_view) {
    if (!other && !checkpoints().empty()) other.emplace(folder().root() / "lock", "second");
  });
  expect_error(ExitCode::kPeerLost, "another training has taken the folder over",
               [&] { train(observed); });
  unsetenv(wire::environment::kAttempt);
  EXPECT_EQ(checkpoints().size(), 1);
  EXPECT_TRUE(lines().empty());
}

// `ganscale evaluate` may have measured some, after the last evaluation failed.
TEST_F(TrainRun, MeasuresWhatItsLastEvaluationLacks) {
  config_.evaluate.every_kimg = 0;
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  ASSERT_EQ(lines().size(), 1);
  std::filesystem::remove(folder().metrics());
  append_if_newest(folder().metrics(),
                   {.images_seen = 24,
                    .seconds = 1,
                    .measured = {.values = {{"fid24", 5}, {"kid24", 5}}, .by_label = {}}});
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  ASSERT_EQ(lines().size(), 2) << "the other average was not measured";
  EXPECT_TRUE(lines().back().contains("fid24_ema_0.01"));
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(lines().size(), 2) << "nothing was missing";
}

}  // namespace
}  // namespace ganscale::training
