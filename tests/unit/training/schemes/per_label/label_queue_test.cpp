#include "training/schemes/per_label/label_queue.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "checkpoint/write_checkpoint.h"
#include "comm/backends/thread_group.h"
#include "files/folder_lock.h"
#include "support/expect_error.h"
#include "unit/training/fake_training.h"
#include "unit/training/parse_text.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

/// Counts each read as a repeated one.
class RepeatingSource : public data::FakeSource {
 public:
  using FakeSource::FakeSource;
  void read(std::int64_t index, data::Record& record) const override {
    ++reads_;
    FakeSource::read(index, record);
  }
  data::SourceCounts counts() const override { return {.repeated_reads = reads_}; }

 private:
  mutable std::atomic<std::int64_t> reads_ = 0;
};

/// Label 0 has eight records, label 1 four and label 2 four.
class Labels : public FakeTraining {
 protected:
  Labels() {
    config_ = parse(
        "model: {z_dim: 2, channels: 0.125}\nscheme: {name: per_label}\n"
        "training: {batch: 4, total_kimg: 0.032, samples_every_kimg: 0, "
        "grid_rows: 1, grid_columns: 2}\n");
    config_.model.channels = 1;
  }

  /// Trains these labels; returns whether it was stopped.
  bool train(const std::vector<std::int64_t>& labels) {
    const auto alone = comm::make_single_group();
    auto source = std::make_unique<data::FakeSource>(16);
    source->on_read = on_read_;
    source->names = names_;
    return with_context(*alone, std::move(source), [&](const TrainingContext& context) {
      LabelQueue queue(context, records_, /*attempts=*/3);
      const bool stopped = queue.train_labels(labels);
      first_failure_ = queue.first_failure();
      return stopped;
    });
  }

  std::optional<LabelState> state(std::int64_t label) const {
    return read_label_state(label_folder(folder(), label));
  }

  /// Writes the state that an earlier start left.
  void write(const LabelState& state) const {
    const auto of_label = label_folder(folder(), state.label);
    std::filesystem::create_directories(of_label);
    write_label_state(of_label, state);
  }

  /// Writes that a label ran out of its budget after this time, with a checkpoint.
  void write_spent(std::int64_t label, double seconds) const {
    checkpoint::write_checkpoint(label_folder(folder(), label), {});
    LabelState state;
    state.label = label;
    state.state = wire::LabelStage::kOutOfBudget;
    state.spent_seconds = seconds;
    write(state);
  }

  /// Trains label 0 as an attempt after which another one has taken the run over.
  void expect_loss_of_the_run() {
    setenv(wire::environment::kAttempt, "first", 1);
    expect_error(ExitCode::kPeerLost, "another training has taken the folder over",
                 [&] { train({0}); });
    unsetenv(wire::environment::kAttempt);
  }

  /// Takes the run over.
  void take_over() { other_attempt_.emplace(folder().root() / "lock", "second"); }

  const LabelRecords records_ = {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  std::function<void(std::int64_t)> on_read_ = [](std::int64_t) {};
  std::vector<std::string> names_;  // of the labels
  std::optional<files::FolderLock> other_attempt_;
  ExitCode first_failure_ = ExitCode::kOk;
};

TEST_F(Labels, AreTrainedOnTheirSharesOfTheImages) {
  EXPECT_FALSE(train({0, 2}));
  EXPECT_EQ(state(0).value().images_seen, 16);
  EXPECT_EQ(state(2).value().images_seen, 8);
  EXPECT_EQ(state(2).value().state, wire::LabelStage::kDone);
  EXPECT_FALSE(state(1));
  EXPECT_EQ(first_failure_, ExitCode::kOk);
}

TEST_F(Labels, ReportEachRepeatedReadOnce) {
  const auto alone = comm::make_single_group();
  with_context(*alone, std::make_unique<RepeatingSource>(16), [&](const TrainingContext& context) {
    LabelQueue(context, records_, /*attempts=*/1).train_labels({0, 1, 2});
    const double reported = context.instruments.repeated_reads_total.value();
    EXPECT_GE(reported, 16 + 8 + 8);
    EXPECT_LE(reported, context.dataset.source->counts().repeated_reads);
  });
}

TEST_F(Labels, AreDoneWithPartOfABatchOfImages) {
  config_.training.total_kimg = 0.02;
  EXPECT_FALSE(train({1}));
  EXPECT_EQ(state(1).value().total_images, 5);
  EXPECT_EQ(state(1).value().images_seen, 8);
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kDone);
}

TEST_F(Labels, AreRetriedUpToTheLimitAndThenSkipped) {
  unreadable_ = {1};
  EXPECT_FALSE(train({0, 1}));
  EXPECT_EQ(state(0).value().state, wire::LabelStage::kFailed);
  EXPECT_EQ(state(0).value().attempts, 3);
  EXPECT_EQ(state(0).value().exit_code, static_cast<int>(ExitCode::kData));
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kDone);
  EXPECT_EQ(first_failure_, ExitCode::kData);
}

TEST_F(Labels, HaveTheExitCodeOfDataIfTheStorageFails) {
  on_read_ = [](std::int64_t) {
    throw std::filesystem::filesystem_error("cannot get the status",
                                            std::make_error_code(std::errc::io_error));
  };
  EXPECT_FALSE(train({1}));
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kFailed);
  EXPECT_EQ(first_failure_, ExitCode::kData);
}

// An error may name a file, by any bytes; JSON takes only UTF-8.
TEST_F(Labels, FailAloneWithAnErrorThatIsNotUtf8) {
  on_read_ = [](std::int64_t record) {
    if (record < 8) throw DataError("caf\xe9.png");
  };
  EXPECT_FALSE(train({0, 1}));
  EXPECT_EQ(state(0).value().state, wire::LabelStage::kFailed);
  EXPECT_THAT(state(0).value().error, testing::HasSubstr("caf\uFFFD.png"));
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kDone);
  EXPECT_EQ(first_failure_, ExitCode::kData);
}

// The signal arrives before the first of three attempts fails.
TEST_F(Labels, AreNotReportedAsFailedIfASignalLeavesThemAttempts) {
  unreadable_ = {8};
  on_read_ = [](std::int64_t) { std::raise(SIGTERM); };
  EXPECT_TRUE(train({1}));
  EXPECT_EQ(state(1).value().attempts, 1);
  EXPECT_EQ(first_failure_, ExitCode::kOk);
}

TEST_F(Labels, AreNotReportedAsFailedOnceAnotherAttemptHasTheRun) {
  std::once_flag once;
  on_read_ = [&](std::int64_t) { std::call_once(once, [&] { take_over(); }); };
  expect_loss_of_the_run();
  EXPECT_EQ(state(0).value().state, wire::LabelStage::kTraining);
}

TEST_F(Labels, AreNotBegunOnceAnotherAttemptHasTheRun) {
  std::filesystem::create_directories(folder().root());
  take_over();
  expect_loss_of_the_run();
  EXPECT_FALSE(state(0));
}

TEST_F(Labels, ContinueTheAttemptThatDidNotFail) {
  using wire::LabelStage;
  for (const LabelStage stage :
       {LabelStage::kTraining, LabelStage::kOutOfBudget, LabelStage::kDone}) {
    LabelState earlier;
    earlier.label = 1;
    earlier.state = stage;
    earlier.attempts = 2;
    write(earlier);
    EXPECT_FALSE(train({1}));
    EXPECT_EQ(state(1).value().state, LabelStage::kDone);
    EXPECT_EQ(state(1).value().attempts, 2)
        << wire::name(stage) << ": with the seed of that attempt";
  }
}

TEST_F(Labels, AreTrainedWhileTheLockCannotBeRead) {
  const auto lock = folder().root() / "lock";
  std::filesystem::create_directories(lock);  // can be opened, not read
  std::once_flag once;
  on_read_ = [&](std::int64_t) { std::call_once(once, [&] { std::filesystem::remove(lock); }); };
  setenv(wire::environment::kAttempt, "first", 1);
  EXPECT_FALSE(train({1}));
  unsetenv(wire::environment::kAttempt);
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kDone);
}

TEST_F(Labels, BeginWithTheFirstAttemptAfterTheLastOneFailed) {
  LabelState failed;
  failed.label = 1;
  failed.state = wire::LabelStage::kFailed;
  failed.attempts = 3;
  write(failed);
  EXPECT_FALSE(train({1}));
  EXPECT_EQ(state(1).value().attempts, 1);
}

TEST_F(Labels, ThatAreDoneAreNotTrainedAgain) {
  train({1});
  unreadable_ = {8, 9, 10, 11};
  EXPECT_FALSE(train({1}));
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kDone);
}

TEST_F(Labels, WithOtherNamesAreRefusedBeforeAnyIsTrained) {
  names_ = {"ape", "cat", "dog"};
  EXPECT_FALSE(train({2}));
  EXPECT_EQ(state(2).value().name, "dog");
  EXPECT_FALSE(train({2})) << "with the same names";
  names_ = {"aaa-dog", "ape", "cat"};
  expect_error(ExitCode::kConfig,
               R"(different name of label 2; choose a new folder with --run: "dog", now "cat")",
               [&] { train({0, 2}); });
  EXPECT_FALSE(state(0));
  EXPECT_EQ(state(2).value().name, "dog");
}

TEST_F(Labels, AreLeftForASignal) {
  std::raise(SIGTERM);
  EXPECT_TRUE(train({0, 1}));
  EXPECT_FALSE(state(0));
}

TEST_F(Labels, EndWithTheirShareOfTheBudget) {
  config_.budget.wall_seconds = 1e-6;
  EXPECT_FALSE(train({0, 1}));
  EXPECT_EQ(state(0).value().state, wire::LabelStage::kOutOfBudget);
  EXPECT_EQ(state(0).value().images_seen, 4);
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kOutOfBudget);
}

TEST_F(Labels, GetNoTimeOnceOthersUsedUpTheBudget) {
  config_.budget.wall_seconds = 0.9;
  write_spent(0, 0.9);
  EXPECT_FALSE(train({0, 1}));
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kOutOfBudget);
  EXPECT_EQ(state(1).value().images_seen, 4);
}

TEST_F(Labels, AreFinishedOnceTheyTookTheirShareOfTheBudget) {
  config_.budget.wall_seconds = 3000;  // of which label 0 has 8 / 12, label 1 the rest
  unreadable_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // one that is trained again fails
  write_spent(0, 2001);
  write_spent(1, 1000);
  EXPECT_FALSE(train({0, 1}));
  EXPECT_EQ(state(0).value().state, wire::LabelStage::kOutOfBudget);
  EXPECT_EQ(state(1).value().state, wire::LabelStage::kOutOfBudget);
}

}  // namespace
}  // namespace ganscale::training
