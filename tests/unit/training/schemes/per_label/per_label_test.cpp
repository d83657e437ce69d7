#include "training/schemes/per_label/per_label.h"

#include <ATen/ATen.h>

#include <csignal>
#include <set>

#include "checkpoint/reader.h"
#include "comm/backends/thread_group.h"
#include "control/server.h"
#include "files/atomic_file.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "support/loopback_http.h"
#include "support/observed_group.h"
#include "training/generators/label_bundle_file.h"
#include "training/generators/trained_generator.h"
#include "training/schemes/per_label/label_plan.h"
#include "training/schemes/synchronous/train_run.h"
#include "unit/training/fake_training.h"
#include "unit/training/parse_text.h"
#include "unit/training/same_snapshot.h"
#include "unit/training/write_feature_net.h"

namespace ganscale::training {
namespace {

constexpr int kLabels = 4;
constexpr std::int64_t kRecordsOfLabel = 8;

class PerLabel : public FakeTraining {
 protected:
  PerLabel() {
    config_ = parse(
        "model: {z_dim: 2, channels: 0.125}\n"
        "scheme: {name: per_label, attempts: 2}\n"
        "training: {batch: 4, total_kimg: 0.032, tick_kimg: 0.004, samples_every_kimg: 0, "
        "grid_rows: 1, grid_columns: 2}\n");
    config_.model.channels = 1;
  }

  /// Trains as one rank of the group.
  ExitCode train(comm::Group& group) {
    return with_context(
        group, std::make_unique<data::FakeSource>(kLabels * records_of_label_, label_count_),
        [&](const TrainingContext& context) { return config_.scheme.chosen->run(context); });
  }

  /// Names the labels that are trained.
  void name_labels(std::vector<std::int64_t> labels) {
    config_.scheme.chosen = std::make_shared<PerLabelScheme>(
        PerLabelOptions{.attempts = 2, .labels = std::move(labels)});
  }

  /// Makes a dry run as one rank of the group.
  void try_run(comm::Group& group) {
    with_context(group,
                 std::make_unique<data::FakeSource>(kLabels * records_of_label_, label_count_),
                 [&](const TrainingContext& context) { config_.scheme.chosen->try_run(context); });
  }

  ExitCode train_alone() { return train(*comm::make_single_group()); }

  static wire::JobStatus status_of(const control::Server& server) {
    const HttpAnswer answer = http_request(server.port(), "GET /status");
    return wire::parse_job_status(nlohmann::ordered_json::parse(answer.body));
  }

  /// Trains as one rank of the group, whose server it is, and measures fid24.
  ExitCode train_and_evaluate(comm::Group& group, control::Server& server) {
    config_.evaluate.metrics = {metrics::parse_metric("fid24")};
    config_.evaluate.feature_net.file = folder_ / "net.pt";
    config_.evaluate.cache = folder_ / "cache";
    write_feature_net(config_.evaluate.feature_net.file);
    return with_context(
        group, std::make_unique<data::FakeSource>(kLabels * records_of_label_, label_count_),
        [&](TrainingContext context) {
          const Dataset& dataset = context.dataset;
          Evaluator evaluator(config_.evaluate, {*dataset.source, dataset.policy}, at::kCPU, group);
          context.server = &server;
          context.evaluator = &evaluator;
          return config_.scheme.chosen->run(context);
        });
  }

  /// Trains on two ranks and returns the last status of rank 0, whose server it is.
  wire::JobStatus status_after_training_on_two_ranks(control::Server& server) {
    comm::run_ranks(2, [&](comm::Group& group) {
      with_context(group,
                   std::make_unique<data::FakeSource>(kLabels * records_of_label_, label_count_),
                   [&](TrainingContext context) {
                     if (group.rank() == 0) context.server = &server;
                     return config_.scheme.chosen->run(context);
                   });
    });
    return status_of(server);
  }

  LabelState state(std::int64_t label) const {
    return read_label_state(label_folder(folder(), label)).value();
  }

  int label_count_ = kLabels;
  std::int64_t records_of_label_ = kRecordsOfLabel;
};

at::Tensor forward(models::Generator& generator, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({}, Stream::kSamples);
  return generator.forward(at::ones({1, 2}), labels, random);
}

TEST_F(PerLabel, MakesOneConditionalGeneratorOfAllLabels) {
  comm::run_ranks(2, [&](comm::Group& group) { EXPECT_EQ(train(group), ExitCode::kOk); });
  const auto bundle = load_newest_generator(folder().root());
  EXPECT_EQ(bundle.generator->label_count(), kLabels);
  EXPECT_EQ(bundle.images_seen, 32);
  for (std::int64_t label = 0; label < kLabels; ++label) {
    EXPECT_EQ(state(label).state, wire::LabelStage::kDone);
    EXPECT_EQ(state(label).images_seen, 8);
    EXPECT_EQ(state(label).attempts, 1);
    const auto own = load_newest_generator(label_folder(folder(), label));
    EXPECT_TRUE(at::equal(forward(*bundle.generator, at::full({1}, label, at::kLong)),
                          forward(*own.generator, {})));
  }
  EXPECT_EQ(read_label_bundle(folder().bundle()).label_probabilities,
            std::vector<double>(kLabels, 0.25));
}

/// The records of one label of the data, as a dataset without labels.
class RecordsOfLabel : public data::FakeSource {
 public:
  explicit RecordsOfLabel(std::int64_t label) : FakeSource(kRecordsOfLabel), label_(label) {}

  void read(std::int64_t index, data::Record& record) const override {
    FakeSource::read(index * kLabels + label_, record);
  }

 private:
  std::int64_t label_;
};

/// A model, its loss and its penalties.
class PerLabelOfModel : public PerLabel, public testing::WithParamInterface<const char*> {
 protected:
  static checkpoint::Snapshot newest_in(const std::filesystem::path& run) {
    return checkpoint::load_checkpoint(checkpoint::newest_valid_checkpoint(run).value());
  }
};

TEST_P(PerLabelOfModel, TrainsALabelAsARunOnItsImagesAlone) {
  constexpr std::int64_t kLabel = 2;
  config_ =
      parse(GetParam() + std::string("scheme: {name: per_label}\n"
                                     "training: {batch: 4, total_kimg: 0.064, "
                                     "samples_every_kimg: 0, grid_rows: 1, grid_columns: 2}\n"));
  config_.model.channels = 1;
  name_labels({kLabel});
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  ASSERT_EQ(state(kLabel).images_seen, 16);

  config_.training.total_kimg = 0.016;
  config_.training.seed = label_seed(config_.training.seed, kLabel, /*attempt=*/1);
  const auto group = comm::make_single_group();
  with_context(*group, std::make_unique<RecordsOfLabel>(kLabel), training::train, "alone");
  expect_same(newest_in(label_folder(folder(), kLabel)), newest_in(folder_ / "alone"));
}

INSTANTIATE_TEST_SUITE_P(
    Models, PerLabelOfModel,
    testing::Values("model: {z_dim: 2, channels: 0.125}\n",
                    "model: {name: r3gan, z_dim: 2, channel_base: 64, channel_max: 4, "
                    "group_channels: 4, blocks: [1, 1, 1, 1]}\n"
                    "loss: {name: relativistic}\n"
                    "discriminator: {r1_gamma: 1, r2_gamma: 1, penalty_phase: main, "
                    "gamma_schedule: {name: cosine, final_fraction: 0.5, kimg: 0.016}}\n"));

TEST_F(PerLabel, PublishesWhatAllRanksDid) {
  control::Server server(control::ServerConfig{});
  if (server.port() == 0) GTEST_SKIP() << "a build without services has no control port";
  const auto status = status_after_training_on_two_ranks(server);
  EXPECT_EQ(status.state, wire::JobState::kDone);
  EXPECT_EQ(status.images_seen, 32);
  EXPECT_EQ(status.total_images, 32);
  ASSERT_TRUE(status.measured);
  EXPECT_EQ(status.measured->images, 32);
  EXPECT_GT(status.measured->straggler_ratio, 1) << "two ranks never take the same time";
  EXPECT_LT(status.measured->straggler_ratio, 2);
}

TEST_F(PerLabel, PublishesWhichLabelsFailed) {
  control::Server server(control::ServerConfig{});
  if (server.port() == 0) GTEST_SKIP() << "a build without services has no control port";
  unreadable_ = {2};  // a record of label 2
  const auto status = status_after_training_on_two_ranks(server);
  EXPECT_EQ(status.state, wire::JobState::kFailed);
  EXPECT_THAT(status.message, testing::StartsWith("1 label failed"));
  EXPECT_THAT(status.message, testing::EndsWith("labels.json tells: 2"));
}

// The group of a rank that is alone has nothing to do before the evaluation.
TEST_F(PerLabel, PublishesTheEndAndTheFidOnceTheLabelsAreEvaluated) {
  control::Server server(control::ServerConfig{});
  if (server.port() == 0) GTEST_SKIP() << "a build without services has no control port";
  const auto alone = comm::make_single_group();
  std::set<wire::JobState> during_evaluation;
  comm::ObservedGroup observed(
      *alone, [&](std::string_view) { during_evaluation.insert(status_of(server).state); });
  EXPECT_EQ(train_and_evaluate(observed, server), ExitCode::kOk);
  EXPECT_THAT(during_evaluation, testing::ElementsAre(wire::JobState::kRunning));
  const wire::JobStatus status = status_of(server);
  EXPECT_EQ(status.state, wire::JobState::kDone);
  ASSERT_TRUE(status.fid);
  const auto lines = report::read_json_lines(folder().metrics());
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(*status.fid, lines[0].at("fid24"));
}

TEST_F(PerLabel, TakesNoCommandOtherThanStop) {
  EXPECT_FALSE(config_.scheme.chosen->takes_commands());
  EXPECT_TRUE(parse("scheme: {name: asynchronous}\n").scheme.chosen->takes_commands());
}

TEST_F(PerLabel, TrainsTheLabelsThatAreNamed) {
  name_labels({1, 3});
  EXPECT_EQ(config_.scheme.chosen->made_labels(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(3).state, wire::LabelStage::kDone);
  EXPECT_FALSE(read_label_state(label_folder(folder(), 0)));
  EXPECT_EQ(read_label_bundle(folder().bundle()).label_probabilities,
            (std::vector<double>{0, 0.5, 0, 0.5}));
  name_labels({4});
  expect_error(ExitCode::kConfig, "scheme.labels: the dataset has no such label: 4 of 4",
               [&] { train_alone(); });
}

// A batch of four can't be shared by three ranks.
TEST_F(PerLabel, TriesTheFirstLabelOfEachRankWithAWholeBatchInADryRun) {
  for (int record = 0; record < kLabels * kRecordsOfLabel; ++record) {
    if (record % kLabels == 3) unreadable_.insert(record);  // no rank begins with label 3
  }
  comm::run_ranks(3, [&](comm::Group& group) { EXPECT_NO_THROW(try_run(group)); });
  EXPECT_FALSE(std::filesystem::exists(folder().root()));
  expect_error(ExitCode::kData, "fake, record", [&] {
    name_labels({3});
    try_run(*comm::make_single_group());
  });
}

// Each of four labels is trained for 8 images, and label 1 is the first of those named.
TEST_F(PerLabel, WarnsOnceOfASchedulesEndBehindALabel) {
  name_labels({1, 3});
  config_.generator.ema.schedule = {
      .kind = schedule::ScheduleKind::kCosine, .kimg = 0.016, .final = 1};
  testing::internal::CaptureStderr();
  comm::run_ranks(2, [&](comm::Group& group) { try_run(group); });
  const std::string printed = testing::internal::GetCapturedStderr();
  const std::string warning = "the smallest label, 1, which never reaches its final value";
  const auto first = printed.find(warning);
  ASSERT_NE(first, std::string::npos) << printed;
  EXPECT_EQ(printed.find(warning, first + 1), std::string::npos) << printed;
  config_.generator.ema.schedule.kimg = 0.008;
  testing::internal::CaptureStderr();
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::Not(testing::HasSubstr("A schedule ends")));
}

TEST_F(PerLabel, DoesNotDependOnTheNumberOfRanks) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto alone = files::read_file(folder().bundle());
  std::filesystem::remove_all(folder().root());
  comm::run_ranks(3, [&](comm::Group& group) { train(group); });
  EXPECT_EQ(files::read_file(folder().bundle()), alone);
}

TEST_F(PerLabel, CommunicatesOnlyOnceItsLabelsAreDone) {
  const auto plan = plan_labels(std::vector<std::int64_t>(kLabels, kRecordsOfLabel), 2);
  comm::run_ranks(2, [&](comm::Group& group) {
    int operations = 0;
    comm::ObservedGroup observed(group, [&](std::string_view) {
      if (operations++ == 0) return;  // all ranks are there
      for (const auto label : plan[static_cast<std::size_t>(group.rank())]) {
        EXPECT_EQ(state(label).state, wire::LabelStage::kDone);
      }
    });
    EXPECT_EQ(train(observed), ExitCode::kOk);
    EXPECT_EQ(operations, 2);  // the other reports how the labels ended
  });
}

TEST_F(PerLabel, TriesALabelAgainAndContinuesWithoutIt) {
  unreadable_ = {2};  // a record of label 2
  EXPECT_EQ(train_alone(), ExitCode::kData);
  EXPECT_EQ(state(2).state, wire::LabelStage::kFailed);
  EXPECT_EQ(state(2).attempts, 2);
  EXPECT_THAT(state(2).error, testing::HasSubstr("fake, record 2"));
  for (const std::int64_t label : {0, 1, 3}) EXPECT_EQ(state(label).state, wire::LabelStage::kDone);
  const auto bundle = read_label_bundle(folder().bundle());
  EXPECT_EQ(bundle.label_probabilities, (std::vector<double>{1.0 / 3, 1.0 / 3, 0, 1.0 / 3}));
  const auto table = nlohmann::json::parse(files::read_file(folder().labels_table()));
  EXPECT_EQ(table.size(), kLabels);
  EXPECT_EQ(table.at(2).at("state"), "failed");
  unreadable_.clear();  // a restart tries the failed label alone
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(2).state, wire::LabelStage::kDone);
  EXPECT_EQ(state(2).error, "");
  EXPECT_EQ(state(2).exit_code, 0);
  EXPECT_EQ(state(0).attempts, 1);
}

TEST_F(PerLabel, MakesNoGeneratorIfEveryLabelFails) {
  for (int record = 0; record < kLabels * kRecordsOfLabel; ++record) unreadable_.insert(record);
  EXPECT_EQ(train_alone(), ExitCode::kData);
  EXPECT_FALSE(std::filesystem::exists(folder().bundle()));
}

TEST_F(PerLabel, SkipsFinishedLabelsAfterARestart) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto file = label_folder(folder(), 1) / "label.json";
  const auto written = std::filesystem::last_write_time(file);
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
}

TEST_F(PerLabel, StopsForASignalAndResumesAfterwards) {
  std::raise(SIGTERM);
  EXPECT_EQ(train_alone(), ExitCode::kStopped);
  EXPECT_FALSE(std::filesystem::exists(folder().bundle()));
  const StopSignal forgotten;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
}

TEST_F(PerLabel, StopsEachLabelWhenItsBudgetIsSpent) {
  config_.budget.wall_seconds = 1e-6;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  for (std::int64_t label = 0; label < kLabels; ++label) {
    EXPECT_EQ(state(label).state, wire::LabelStage::kOutOfBudget);
    EXPECT_EQ(state(label).images_seen, 4);
    EXPECT_GT(state(label).seconds, 0);
  }
  EXPECT_EQ(load_newest_generator(folder().root()).images_seen, 16);
}

TEST_F(PerLabel, ChargesFailedAttemptsToTheBudget) {
  unreadable_ = {2};
  config_.budget.wall_seconds = 3600;
  EXPECT_EQ(train_alone(), ExitCode::kData);
  EXPECT_EQ(state(2).state, wire::LabelStage::kFailed);
  EXPECT_GT(state(2).spent_seconds, 0);
  EXPECT_EQ(state(2).seconds, 0);
  EXPECT_GT(state(1).spent_seconds, state(1).seconds);  // set-up and checkpoint
}

TEST_F(PerLabel, ContinuesLabelsWhoseLimitsWereRaised) {
  config_.budget.wall_seconds = 1e-6;
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).images_seen, 4);  // the budget is spent
  config_.budget.wall_seconds = 0;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).state, wire::LabelStage::kDone);
  EXPECT_EQ(state(1).images_seen, 8);
  config_.training.total_kimg = 0.064;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).images_seen, 16);
}

TEST_F(PerLabel, BeginsALabelOfADamagedStateAtItsCheckpoint) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  files::write_file_atomically(label_folder(folder(), 1) / "label.json", "{");
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).state, wire::LabelStage::kDone);
  EXPECT_EQ(state(1).images_seen, 8);
}

TEST_F(PerLabel, TrainsALabelAgainWhoseCheckpointsAreGone) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  const auto bundle = files::read_file(folder().bundle());
  std::filesystem::remove_all(label_folder(folder(), 1) / "checkpoints");
  testing::internal::CaptureStderr();
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("Training a label again, since its checkpoints are gone"));
  EXPECT_EQ(state(1).state, wire::LabelStage::kDone);
  EXPECT_EQ(files::read_file(folder().bundle()), bundle) << "with the seed of that attempt";
}

TEST_F(PerLabel, GivesALabelThatBeginsAnewItsWholeShareOfTheBudget) {
  config_.budget.wall_seconds = 3600;
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  LabelState used_up = state(1);
  used_up.seconds = used_up.spent_seconds = 3600;
  write_label_state(label_folder(folder(), 1), used_up);
  std::filesystem::remove_all(label_folder(folder(), 1) / "checkpoints");
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).state, wire::LabelStage::kDone);
  EXPECT_LT(state(1).spent_seconds, 3600);
}

TEST_F(PerLabel, FailsALabelWhoseRecordsChanged) {
  ASSERT_EQ(train_alone(), ExitCode::kOk);
  config_.training.total_kimg = 0.064;
  records_of_label_ = kRecordsOfLabel + 1;
  EXPECT_NE(train_alone(), ExitCode::kOk);
  EXPECT_EQ(state(1).state, wire::LabelStage::kFailed);
}

TEST_F(PerLabel, TrainsALabelThatFillsOneBatch) {
  config_.training.batch = kRecordsOfLabel;
  EXPECT_EQ(train_alone(), ExitCode::kOk);
  EXPECT_TRUE(std::filesystem::exists(folder().config()));
}

TEST_F(PerLabel, RefusesWhatItCannotTrain) {
  config_.training.batch = 9;
  expect_error(ExitCode::kConfig, "fewer records than training.batch, 9", [&] { train_alone(); });
  expect_error(ExitCode::kConfig, ": 0 (8) 1 (8) 2 (8) 3 (8)", [&] { train_alone(); });
  config_.training.batch = 4;
  label_count_ = 0;
  expect_error(ExitCode::kConfig, "needs labels, but the dataset has none", [&] { train_alone(); });
}

}  // namespace
}  // namespace ganscale::training
