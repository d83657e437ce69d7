#include <ATen/ops/allclose.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "checkpoint/checkpoint_name.h"
#include "checkpoint/reader.h"
#include "support/temporary_folder.h"
#include "support/thorough.h"
#include "training_process.h"

namespace ganscale {
namespace {

namespace fs = std::filesystem;

/// Half as wide as the paper's: steps long enough for a signal to come amid them.
constexpr const char* kHalfModel = "model: {name: dcgan, resolution: 32, channels: 0.5}\n";

/// Trains to the end on `rank_count` ranks.
void finish(int rank_count, const fs::path& config, const fs::path& run) {
  TrainingProcess training(rank_count, config, run);
  ASSERT_EQ(training.exit_code(), 0) << training.output();
}

std::int64_t newest_images_seen(const fs::path& run) {
  const auto list = checkpoint::list_checkpoints(run);
  return list.empty() ? -1 : list.back().images_seen;
}

std::int64_t count_lines(const fs::path& file) {
  std::ifstream in(file);
  return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
}

/// Kills runs at random moments: while they start, train, or write a checkpoint.
class Killer {
 public:
  explicit Killer(std::size_t process_count = 2) : process_count_(process_count) {
    std::cout << "The moments of the kills have the seed " << seed_ << "\n";
  }

  /// Starts the run, kills one of its processes, waits for the end; returns false if the run was
  /// done.
  bool kill_once(const fs::path& config, const fs::path& run) {
    TrainingProcess training(static_cast<int>(process_count_), config, run);
    EXPECT_TRUE(wait_until([&] {
      return training.rank_pids().size() == process_count_ || training.has_ended();
    })) << training.output();
    const bool while_it_starts = random_() % 4 == 0;
    if (!while_it_starts) {
      const auto before = newest_images_seen(run);
      wait_until([&] { return newest_images_seen(run) > before || training.has_ended(); });
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(random_() % (while_it_starts ? 150 : 60)));
    const auto processes = training.rank_pids();
    if (training.has_ended() || processes.size() != process_count_) return false;
    ::kill(processes[random_() % process_count_], SIGKILL);
    EXPECT_NE(training.exit_code(), -1) << "the other rank hangs:\n" << training.output();
    return true;
  }

 private:
  const std::size_t process_count_;
  const unsigned seed_ = std::random_device()();
  std::minstd_rand random_{seed_};
};

TEST(Resume, AfterKillsOfAnyRankGivesTheBitsOfTheUninterruptedRun) {
  const int kills = thorough(20, 2);
  const std::int64_t kSteps = thorough(240, 40);
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32",
                                          std::string(kTinyModel) +
                                              "augment: {name: ada, p: 0.5, speed_kimg: 1}\n"
                                              "checkpoint: {every_kimg: 0.016, keep_last: 2}\n");
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "whole"));

  Killer killer;
  int kill_count = 0;
  while (kill_count < kills && killer.kill_once(config, folder / "killed")) ++kill_count;
  EXPECT_EQ(kill_count, kills) << "the run was done too soon";
  RecordProperty("images_seen_after_the_kills", newest_images_seen(folder / "killed"));
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "killed"));

  const auto last = fs::path("checkpoints") / checkpoint::checkpoint_name(kSteps * kTinyBatch);
  const auto whole = checkpoint::verify_checkpoint(folder.path() / "whole" / last);
  const auto killed = checkpoint::verify_checkpoint(folder.path() / "killed" / last);
  EXPECT_EQ(killed.files, whole.files);  // sizes and SHA-256 of all tensors
  EXPECT_EQ(killed.state["progress"]["step"], whole.state["progress"]["step"]);
}

/// Kills a run of scheme asynchronous, and expects of the resumed one that no image is lost or used
/// twice, and that no age exceeds the bound.
///
/// Agreements, and with them checkpoints, are eight steps apart: in between the roles work at the
/// same time. Their results depend on who is late, but not how far they come.
void expect_images_and_bound_after_kills(int process_count, int kills) {
  const std::int64_t kSteps = thorough(480, 120);
  constexpr std::int64_t kBound = 2;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32",
                                          std::string(kTinyModel) +
                                              "scheme: {name: asynchronous, max_staleness: 2}\n"
                                              "checkpoint: {every_kimg: 0.064, keep_last: 2}\n",
                                          /*tick_kimg=*/0.064);
  Killer killer(static_cast<std::size_t>(process_count));
  int kill_count = 0;
  while (kill_count < kills && killer.kill_once(config, folder / "killed")) ++kill_count;
  EXPECT_EQ(kill_count, kills) << "the run was done too soon";
  ASSERT_NO_FATAL_FAILURE(finish(process_count, config, folder / "killed"));

  const auto last = fs::path("checkpoints") / checkpoint::checkpoint_name(kSteps * kTinyBatch);
  const auto progress =
      checkpoint::verify_checkpoint(folder.path() / "killed" / last).state["progress"];
  EXPECT_EQ(progress["step"], kSteps);
  EXPECT_EQ(progress["stream_position"], kSteps * kTinyBatch);
  std::ifstream stats(folder / "killed/stats.jsonl");
  std::int64_t images_seen = 0;
  for (std::string line; std::getline(stats, line);) {
    const auto tick = nlohmann::json::parse(line);
    images_seen += tick["roles"]["discriminator"]["images"].get<std::int64_t>();
    EXPECT_EQ(tick["images_seen"], images_seen) << "images were lost or used twice";
    for (const auto& role : tick["roles"]) {
      EXPECT_EQ(role["ranks"], 1);
      for (const auto& [age, steps] : role["staleness"].items()) EXPECT_LE(std::stoi(age), kBound);
    }
  }
  EXPECT_EQ(images_seen, kSteps * kTinyBatch);
}

TEST(Resume, OfBothRolesAfterKillsHasTheImagesAndTheBoundOfTheRun) {
  expect_images_and_bound_after_kills(/*process_count=*/2, /*kills=*/thorough(20, 1));
}

TEST(Resume, OfBothRolesInAProcessAfterKillsHasTheImagesAndTheBoundOfTheRun) {
  expect_images_and_bound_after_kills(/*process_count=*/1, /*kills=*/thorough(6, 1));
}

/// Expects a run of 12 steps that continues after 5 of them to end with the files of one that is
/// never stopped, among them `file`.
void expect_bits_of_the_uninterrupted_run(const std::string& sections, const std::string& file) {
  constexpr std::int64_t kSteps = 12;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(
      folder.path(), kSteps, "fp32", sections + "checkpoint: {every_kimg: 0.04, keep_last: 0}\n");
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "whole"));

  fs::copy(folder / "whole", folder / "cut", fs::copy_options::recursive);
  const auto checkpoints = folder.path() / "cut" / "checkpoints";
  for (const auto& later : checkpoint::list_checkpoints(folder / "cut")) {
    if (later.images_seen > 5 * kTinyBatch) {
      fs::remove_all(checkpoints / checkpoint::checkpoint_name(later.images_seen));
    }
  }
  ASSERT_EQ(newest_images_seen(folder / "cut"), 5 * kTinyBatch);
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "cut"));

  const auto last = fs::path("checkpoints") / checkpoint::checkpoint_name(kSteps * kTinyBatch);
  const auto whole = checkpoint::verify_checkpoint(folder.path() / "whole" / last);
  EXPECT_TRUE(whole.files.contains(file)) << file;
  EXPECT_EQ(checkpoint::verify_checkpoint(folder.path() / "cut" / last).files, whole.files);
}

/// The batch of the run that is stopped lies between two path lengths and two R1 penalties.
TEST(Resume, OfStylegan2GivesTheBitsOfTheUninterruptedRun) {
  expect_bits_of_the_uninterrupted_run(
      "model: {name: stylegan2, resolution: 32, z_dim: 8, w_dim: 8, channel_base: 64, "
      "channel_max: 8, mapping_layers: 2}\n"
      "generator: {ema_ramp_up: 0.05, path_length_weight: 2}\n"
      "discriminator: {r1_gamma: 1, r1_interval: 3}\n",
      "regularisation.safetensors");
}

/// Magnitudes, the mean style and the steps of a bias that R1 does not reach continue.
TEST(Resume, OfStylegan3GivesTheBitsOfTheUninterruptedRun) {
  if (!is_thorough()) GTEST_SKIP() << "make check-long runs it";
  expect_bits_of_the_uninterrupted_run(
      "model: {name: stylegan3, resolution: 32, z_dim: 8, w_dim: 8, channel_base: 64, "
      "channel_max: 8, layers: 4, margin: 4}\n"
      "generator: {ema_ramp_up: 0.05}\n"
      "discriminator: {r1_gamma: 1, r1_interval: 3, unpenalized: [b4.out.bias]}\n"
      "augment: {blur_sigma: 1, blur_fade_kimg: 0.1}\n",
      "discriminator_optimizer.safetensors");
}

/// The run that is stopped is in the middle of all its schedules.
TEST(Resume, OfR3ganGivesTheBitsOfTheUninterruptedRun) {
  const std::string betas =
      "betas: [0, 0.9], beta2_schedule: {name: cosine, final: 0.99, kimg: 0.08}, "
      "schedule: {name: cosine, final_fraction: 0.2, kimg: 0.08}";
  expect_bits_of_the_uninterrupted_run(
      "model: {name: r3gan, resolution: 32, conditional: true, z_dim: 8, label_dim: 4, "
      "channel_base: 64, channel_max: 8, group_channels: 4, blocks: [1, 1, 1, 1]}\n"
      "loss: {name: relativistic}\n"
      "generator: {optimizer: {" +
          betas +
          "}, ema_kimg: 0, ema_schedule: {name: cosine, final_kimg: 0.05, kimg: 0.08}}\n"
          "discriminator: {optimizer: {" +
          betas +
          "}, r1_gamma: 1, r2_gamma: 1, penalty_phase: main, "
          "gamma_schedule: {name: cosine, final_fraction: 0.1, kimg: 0.08}}\n"
          "augment: {name: ada, adaptive: false, p: 0.2, "
          "p_schedule: {name: linear, final: 0.8, kimg: 0.08}}\n",
      "discriminator_optimizer.safetensors");
}

/// The fifth step lies amid a round of lookahead, on the way to its peak rate.
TEST(Resume, OfOtherOptimizersGivesTheBitsOfTheUninterruptedRun) {
  expect_bits_of_the_uninterrupted_run(
      std::string(kTinyModel) +
          "generator: {optimizer: {name: lookahead, interval: 3, inner: {name: adabelief}, "
          "schedule: {warmup_kimg: 0.06}, batch_rule: {name: sqrt}}}\n"
          "discriminator: {optimizer: {name: lamb, clipping: {name: global_norm, max_norm: "
          "0.01}}}\n",
      "generator_optimizer.safetensors");
}

/// Rank 0 trains labels 0 and 2, rank 1 labels 1 and 3, each for 60 steps.
TEST(Resume, OfLabelsTrainsAgainOnlyWhatCameAfterTheirCheckpoints) {
  constexpr std::int64_t kStepsOfLabel = 60;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kTinyLabels * kStepsOfLabel, "fp32",
                                          std::string(kTinyModel) +
                                              "scheme: {name: per_label}\n"
                                              "checkpoint: {every_kimg: 0.12, keep_last: 0}\n");
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "whole"));

  const auto label = [&](int number) {
    return folder / ("killed/labels/label-000" + std::to_string(number));
  };
  {
    // Time for the other rank to write a checkpoint when mpirun kills it, as set in the image.
    ::setenv("OMPI_MCA_odls_base_sigkill_timeout", "10", 1);
    TrainingProcess training(2, config, folder / "killed");
    ASSERT_TRUE(wait_until([&] {
      return newest_images_seen(label(2)) > 0 || training.has_ended();
    })) << training.output();
    const auto ranks = training.rank_pids();
    ASSERT_EQ(ranks.size(), 2);
    ::kill(ranks.front(), SIGKILL);
    EXPECT_NE(training.exit_code(), 0) << training.output();
  }
  for (const int of_rank_1 : {1, 3}) {
    if (!fs::exists(label(of_rank_1))) continue;
    const auto state = nlohmann::json::parse(std::ifstream(label(of_rank_1) / "label.json"));
    EXPECT_GT(state.at("images_seen"), 0) << of_rank_1;
    EXPECT_EQ(state.at("images_seen"), newest_images_seen(label(of_rank_1))) << "rank 1 lost work";
  }
  const auto kept = checkpoint::list_checkpoints(label(2));
  ASSERT_LT(kept.back().images_seen, kStepsOfLabel * kTinyBatch) << "the label was done too soon";
  const auto first = label(2) / "checkpoints" / checkpoint::checkpoint_name(kept[0].images_seen);
  const auto done = label(0) / "stats.jsonl";
  const auto written = fs::last_write_time(first);
  const auto told = count_lines(done);
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "killed"));

  EXPECT_EQ(fs::last_write_time(first), written) << "label 2 started over";
  EXPECT_EQ(count_lines(done), told) << "label 0 was trained again";
  const auto last = checkpoint::checkpoint_name(kStepsOfLabel * kTinyBatch);
  for (int i = 0; i < kTinyLabels; ++i) {
    const auto whole = folder / ("whole/labels/label-000" + std::to_string(i));
    EXPECT_EQ(checkpoint::verify_checkpoint(label(i) / "checkpoints" / last).files,
              checkpoint::verify_checkpoint(whole / "checkpoints" / last).files);
  }
}

/// Trains until the run has made some steps, has it stopped by `stop`, and expects a checkpoint at
/// a whole step and exit code 143.
void train_and_stop(int rank_count, const fs::path& config, const fs::path& run,
                    const std::function<void(const TrainingProcess&)>& stop) {
  const auto lines_before = count_lines(run / "stats.jsonl");
  const auto images_before = newest_images_seen(run);
  TrainingProcess training(rank_count, config, run);
  ASSERT_TRUE(wait_until([&] {
    return count_lines(run / "stats.jsonl") >= lines_before + 2 || training.has_ended();
  })) << training.output();
  stop(training);
  EXPECT_EQ(training.exit_code(), 143) << training.output();
  const auto images_after = newest_images_seen(run);
  EXPECT_GT(images_after, images_before) << training.output();
  EXPECT_EQ(images_after % kTinyBatch, 0);
}

void expect_close(const checkpoint::Snapshot& actual, const checkpoint::Snapshot& expected) {
  ASSERT_EQ(actual.files.size(), expected.files.size());
  for (const auto& [file, tensors] : expected.files) {
    for (const auto& [name, tensor] : tensors) {
      const auto& other = actual.files.at(file).at(name);
      EXPECT_TRUE(at::allclose(other, tensor, /*rtol=*/1e-9, /*atol=*/1e-9)) << file << ' ' << name;
    }
  }
}

/// The process stops and continues in between.
TEST(Resume, OfBothRolesInAProcessWithStaleness0GivesTheNumbersOfSynchronous) {
  constexpr std::int64_t kSteps = 16;
  const TemporaryFolder folder;
  const std::string sections = std::string(kHalfModel) +
                               "augment: {name: ada, p: 0.5, speed_kimg: 1}\n"
                               "checkpoint: {every_kimg: 0, keep_last: 0}\n";
  const auto synchronous = write_tiny_training(folder.path(), kSteps, "fp64", sections);
  ASSERT_NO_FATAL_FAILURE(finish(1, synchronous, folder / "synchronous"));

  const auto config = write_tiny_training(
      folder.path(), kSteps, "fp64", sections + "scheme: {name: asynchronous, max_staleness: 0}\n");
  const auto run = folder / "roles";
  ASSERT_NO_FATAL_FAILURE(train_and_stop(
      1, config, run, [](const TrainingProcess& training) { training.signal_launcher(SIGTERM); }));
  ASSERT_NO_FATAL_FAILURE(finish(1, config, run));

  const auto last = fs::path("checkpoints") / checkpoint::checkpoint_name(kSteps * kTinyBatch);
  expect_close(checkpoint::load_checkpoint(run / last),
               checkpoint::load_checkpoint(folder.path() / "synchronous" / last));
}

/// While they train, the ranks have nothing but the run folder in common.
TEST(Resume, OfLabelsIsPossibleOnAllRanksAfterASignalToOne) {
  constexpr std::int64_t kStepsOfLabel = 5000;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(
      folder.path(), kTinyLabels * kStepsOfLabel, "fp32",
      std::string(kTinyModel) + "scheme: {name: per_label}\ncheckpoint: {every_kimg: 0}\n",
      /*tick_kimg=*/0.08);
  const std::vector<fs::path> first_labels = {folder / "run/labels/label-0000",
                                              folder / "run/labels/label-0001"};
  TrainingProcess training(2, config, folder / "run");
  ASSERT_TRUE(wait_until([&] {
    return training.has_ended() || std::ranges::all_of(first_labels, [](const fs::path& label) {
             return count_lines(label / "stats.jsonl") > 0;
           });
  })) << training.output();
  ::kill(training.rank_pids().front(), SIGUSR1);
  EXPECT_EQ(training.exit_code(), 143) << training.output();
  for (const fs::path& label : first_labels) {
    EXPECT_GT(newest_images_seen(label), 0) << label;
    EXPECT_LT(newest_images_seen(label), kStepsOfLabel * kTinyBatch) << label;
  }
}

TEST(Resume, OfARunningTrainingIsRefusedAndNamesItsProcess) {
  constexpr std::int64_t kNeverReached = 1'000'000;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kNeverReached, "fp32", kTinyModel);
  const auto run = folder / "run";
  TrainingProcess first(1, config, run);
  ASSERT_TRUE(wait_until([&] { return fs::exists(run / "stats.jsonl") || first.has_ended(); }));
  ASSERT_FALSE(first.has_ended()) << first.output();
  TrainingProcess second(1, config, run);
  EXPECT_EQ(second.exit_code(), 78);
  const std::string pid = std::to_string(first.rank_pids().front());
  EXPECT_NE(second.output().find("the folder is in use: " + run.string() + ": by process " + pid),
            std::string::npos)
      << second.output();
  EXPECT_FALSE(first.has_ended());
}

TEST(Resume, OnOtherWorldSizesAfterStopSignalsGivesTheSameNumbers) {
  constexpr std::int64_t kSteps = 18;
  const TemporaryFolder folder;
  const auto config = write_tiny_training(
      folder.path(), kSteps, "fp64",
      "model: {name: dcgan, resolution: 32, channels: 0.5, batch_norm: synchronized}\n"
      "augment: {name: ada, p: 0.5, speed_kimg: 1}\n"
      "checkpoint: {every_kimg: 0, keep_last: 0}\n");
  ASSERT_NO_FATAL_FAILURE(finish(2, config, folder / "whole"));

  const auto run = folder / "stopped";
  ASSERT_NO_FATAL_FAILURE(train_and_stop(2, config, run, [](const TrainingProcess& training) {
    training.signal_launcher(SIGUSR1);  // mpirun forwards it to all ranks
  }));
  ASSERT_NO_FATAL_FAILURE(train_and_stop(
      1, config, run, [](const TrainingProcess& training) { training.signal_launcher(SIGTERM); }));
  ASSERT_NO_FATAL_FAILURE(train_and_stop(4, config, run, [](const TrainingProcess& training) {
    ::kill(training.rank_pids().back(), SIGTERM);  // the request of one rank is enough
  }));
  ASSERT_NO_FATAL_FAILURE(finish(4, config, run));

  const auto last = fs::path("checkpoints") / checkpoint::checkpoint_name(kSteps * kTinyBatch);
  expect_close(checkpoint::load_checkpoint(run / last),
               checkpoint::load_checkpoint(folder.path() / "whole" / last));
}

}  // namespace
}  // namespace ganscale
