#include "training/loop/reporter.h"

#include <ATen/ops/tensor.h>

#include "base/thread_rank.h"
#include "comm/backends/thread_group.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/training/fake_dataset.h"
#include "unit/training/fake_trainer.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// A reporter of one rank, and its inputs.
class Reported {
 public:
  Reported(comm::Group& group, const RunFolder& folder, const std::string& more = "",
           at::Device device = at::kCPU)
      : config_(parse("training: {batch: 4, total_kimg: 0.04}\n" + more)),
        context_{.config = config_,
                 .folder = folder,
                 .dataset = dataset_,
                 .devices = device,
                 .group = group,
                 .stop = stop_,
                 .instruments = instruments} {
    folder.create();
  }

  Reporter make(const checkpoint::Writer* writer = nullptr) { return {context_, trainer, writer}; }

  FakeTrainer trainer;
  telemetry::Instruments instruments;

 private:
  const RunConfig config_;
  const Dataset dataset_ = fake_dataset(std::make_unique<data::FakeSource>(8));
  const StopSignal stop_;
  TrainingContext context_;
};

/// The reporter of a rank that trains alone.
struct ReportedAlone {
  explicit ReportedAlone(const std::string& more = "") : reported(*group, folder, more) {}

  const TemporaryFolder run;
  const RunFolder folder{run / "run"};
  const std::unique_ptr<comm::Group> group = comm::make_single_group();
  Reported reported;
  Reporter reporter = reported.make();
  Progress progress;
};

StepResult step_with(const std::string& statistic, double value) {
  StepResult result{.images = 2};
  result.statistics[statistic] = at::tensor(value);
  return result;
}

nlohmann::ordered_json only_line(const RunFolder& folder) {
  const auto lines = report::read_json_lines(folder.stats());
  EXPECT_EQ(lines.size(), 1);
  return lines.at(0);
}

// The first rank trains the generator, the second one the discriminator, three times as often.
TEST(Reporter, ReportsRanksThatTrainDifferentNetworks) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  comm::run_ranks(2, [&](comm::Group& group) {
    Reported of_rank(group, folder);
    const bool generates = group.rank() == 0;
    of_rank.trainer.statistics = {generates ? "loss/generator" : "loss/discriminator"};
    Reporter reporter = of_rank.make();
    Progress progress;
    reporter.begin(progress);
    for (int i = 0; i < (generates ? 1 : 3); ++i) {
      StepResult result = step_with(of_rank.trainer.statistics[0], generates ? 5 : i);
      (generates ? result.generator_steps : result.discriminator_steps) = 1;
      reporter.step(result, progress);
    }
    progress.images_seen = 12;
    reporter.tick(progress);
    EXPECT_EQ(of_rank.instruments.images_total.value(), generates ? 2 : 6);
    EXPECT_EQ(of_rank.instruments.loss.at("generator").value(), 5);
    EXPECT_EQ(of_rank.instruments.loss.at("discriminator").value(), 1);
  });
  const auto line = only_line(folder);
  EXPECT_EQ(line.at("loss"),
            nlohmann::ordered_json::parse(R"({"discriminator": 1.0, "generator": 5.0})"));
  EXPECT_EQ(line.at("steps"),
            nlohmann::ordered_json::parse(R"({"discriminator": 3, "generator": 1})"));
}

TEST(Reporter, ExportsTheMemoryOfAProcessOnceForAllItsRanks) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  comm::run_ranks(2, [&](comm::Group& group) {
    const ThreadRank rank(group.rank());
    Reported of_rank(group, folder, "", at::Device(at::kCUDA, 0));
    Reporter reporter = of_rank.make();
    Progress progress;
    reporter.begin(progress);
    progress.images_seen = 12;
    reporter.tick(progress);
    EXPECT_EQ(of_rank.instruments.gpu_memory_bytes.is_set(), group.rank() == 0);
  });
}

// Rank 0 trains the generator and reads nothing.
TEST(Reporter, ReportsTheReadingsOfTheRanksThatRead) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  comm::run_ranks(2, [&](comm::Group& group) {
    Reported of_rank(group, folder);
    Reporter reporter = of_rank.make();
    Progress progress;
    reporter.begin(progress);
    if (group.rank() == 1) {
      of_rank.trainer.now = {
          .loader = {.wait_seconds = 1e9, .reader_threads = 3, .read_tail_seconds = 0.75},
          .all_reduce = {.bytes = 8, .exposed_seconds = 1e9}};
    }
    progress.images_seen = 12;
    reporter.tick(progress);
  });
  const auto line = only_line(folder);
  EXPECT_GT(line.at("data_wait_share"), 0);
  EXPECT_EQ(line.at("reader_threads"), 3);
  EXPECT_EQ(line.at("read_tail_seconds"), 0.75);
  EXPECT_GT(line.at("all_reduce_share"), 0);
}

TEST(Reporter, CountsWhatTheTrainerReadsSinceItBegan) {
  ReportedAlone alone;
  alone.reported.trainer.now.loader.wait_seconds = 2;
  alone.reporter.begin(alone.progress);
  alone.reporter.step(step_with("loss/generator", 1), alone.progress);
  alone.reported.trainer.now = {
      .loader = {.wait_seconds = 5,
                 .depth = 7,
                 .reader_threads = 3,
                 .batches_bytes = 700,
                 .read_median_seconds = 0.25,
                 .read_tail_seconds = 0.75,
                 .calm_tail_seconds = 0.5,
                 .congested = true,
                 .congestions = 2,
                 .source = {.repeated_reads = 6, .cached_reads = 8, .cached_bytes = 900}},
      .all_reduce = {.bytes = 100, .busy_seconds = 4}};
  StepResult skipping = step_with("loss/generator", 1);
  skipping.skipped.push_back({"Gmain", "weight"});
  skipping.phase_seconds["Gmain"] = 0.5;
  alone.reporter.step(skipping, alone.progress);
  EXPECT_EQ(alone.reported.instruments.data_wait_seconds_total.value(), 5);
  EXPECT_EQ(alone.reported.instruments.allreduce_seconds_total.value(), 4);
  EXPECT_EQ(alone.reported.instruments.allreduce_bytes_total.value(), 100);
  EXPECT_EQ(alone.reported.instruments.prefetch_depth.value(), 7);
  EXPECT_EQ(alone.reported.instruments.prefetch_bytes.value(), 700);
  EXPECT_EQ(alone.reported.instruments.reader_threads.value(), 3);
  EXPECT_EQ(alone.reported.instruments.read_median_seconds.value(), 0.25);
  EXPECT_EQ(alone.reported.instruments.read_tail_seconds.value(), 0.75);
  EXPECT_EQ(alone.reported.instruments.read_calm_tail_seconds.value(), 0.5);
  EXPECT_EQ(alone.reported.instruments.storage_congested.value(), 1);
  EXPECT_EQ(alone.reported.instruments.congestions_total.value(), 2);
  EXPECT_EQ(alone.reported.instruments.repeated_reads_total.value(), 6);
  EXPECT_EQ(alone.reported.instruments.cached_reads_total.value(), 8);
  EXPECT_EQ(alone.reported.instruments.cached_bytes.value(), 900);
  EXPECT_EQ(alone.reported.instruments.nonfinite_total.at("Gmain").value(), 1);
  EXPECT_EQ(alone.reported.instruments.phase_seconds_total.at("Gmain").value(), 0.5);
}

/// Returns the line of a tick after 20 images.
nlohmann::ordered_json line_after_20_images(ReportedAlone& alone) {
  alone.reporter.begin(alone.progress);
  alone.progress.images_seen = 20;
  alone.reporter.tick(alone.progress);
  return only_line(alone.folder);
}

// D is updated at 16 / 17 of its rate, once more in 16 steps; G after half of its images.
TEST(Reporter, ReportsTheRatesOfTheUpdates) {
  ReportedAlone alone(
      "generator: {optimizer: {learning_rate: 0.01, schedule: {name: linear}}}\n"
      "discriminator: {optimizer: {learning_rate: 0.017}, r1_gamma: 1}\n");
  const auto rates = line_after_20_images(alone).at("learning_rate");
  EXPECT_DOUBLE_EQ(rates.at("generator").get<double>(), 0.005);
  EXPECT_DOUBLE_EQ(rates.at("discriminator").get<double>(), 0.016);
}

// Half of the warm-up, and four times the base batch: 0.01 * 2 / 2 and 0.01 * 4.
TEST(Reporter, ReportsTheRatesOfWarmUpAndBatch) {
  ReportedAlone alone(
      "generator: {optimizer: {learning_rate: 0.01, schedule: {warmup_kimg: 0.04}, batch_rule: "
      "{name: sqrt, base_batch: 1}}}\n"
      "discriminator: {optimizer: {learning_rate: 0.01, batch_rule: {name: linear, base_batch: "
      "1}}}\n");
  const auto rates = line_after_20_images(alone).at("learning_rate");
  EXPECT_DOUBLE_EQ(rates.at("generator").get<double>(), 0.01);
  EXPECT_DOUBLE_EQ(rates.at("discriminator").get<double>(), 0.04);
}

// Half of the way, with the keys of an R3GAN.
TEST(Reporter, ReportsTheValuesOfSchedules) {
  const std::string optimizer =
      "optimizer: {betas: [0, 0.9], beta2_schedule: {name: cosine, final: 0.99, kimg: 0.04}}";
  ReportedAlone alone("generator: {" + optimizer +
                      ", ema_kimg: 0, ema_schedule: {name: cosine, final_kimg: 500, kimg: 0.04}}\n"
                      "discriminator: {" +
                      optimizer +
                      ", r1_gamma: 4, r2_gamma: 2, penalty_phase: main, "
                      "gamma_schedule: {name: cosine, final_fraction: 0.1, kimg: 0.04}}\n");
  const auto scheduled = line_after_20_images(alone).at("scheduled");
  const std::map<std::string, double> expected = {{"generator_beta2", 0.945},
                                                  {"discriminator_beta2", 0.945},
                                                  {"r1_gamma", 2.2},
                                                  {"r2_gamma", 1.1},
                                                  {"ema_kimg", 250}};
  EXPECT_EQ(scheduled.size(), expected.size());
  for (const auto& [name, value] : expected)
    EXPECT_DOUBLE_EQ(scheduled.at(name).get<double>(), value) << name;
}

// What a sample grid, a checkpoint or an evaluation takes is not time of training.
TEST(Reporter, GivesTheRateOfTheImagesSinceTheLastTickWithoutMaintenance) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  const auto train = [&](std::int64_t images) {
    alone.progress.images_seen += images;
    alone.reporter.tick(alone.progress);
  };
  train(1000);
  alone.reporter.add_maintenance(1e6);
  train(2000);
  train(2000);
  const auto lines = report::read_json_lines(alone.folder.stats());
  EXPECT_EQ(lines.at(1).at("maintenance_seconds"), 1e6);
  EXPECT_LT(lines.at(1).at("s_per_kimg").get<double>(), 1) << "all of its time and more";
  EXPECT_EQ(lines.at(2).at("maintenance_seconds"), 0);
  const double seconds =
      lines[2].at("seconds").get<double>() - lines[1].at("seconds").get<double>();
  EXPECT_NEAR(lines[2].at("s_per_kimg").get<double>(), seconds / 2, 1e-9);
}

// More than all time that passes here.
TEST(Reporter, CountsMaintenanceAsPartOfNoStep) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  alone.reporter.add_maintenance(1e6);
  alone.reporter.step(step_with("loss/generator", 1), alone.progress);
  EXPECT_LT(alone.reported.instruments.step_seconds.sum(), 0);
}

TEST(Reporter, WritesNoEventsUnlessConfigured) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  EXPECT_FALSE(std::filesystem::exists(alone.folder.events()));
}

TEST(Reporter, ReadsTheCountersOnceMoreAtTheEnd) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  alone.reported.trainer.now.loader.wait_seconds = 3;
  alone.reporter.end(/*stopped=*/false);
  EXPECT_EQ(alone.reported.instruments.data_wait_seconds_total.value(), 3);
}

TEST(Reporter, CountsTheAgeOfTheFirstCheckpointFromTheStart) {
  ReportedAlone alone;
  const checkpoint::Writer writer(alone.folder.root(), {});
  Reporter reporter = alone.reported.make(&writer);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  reporter.begin(alone.progress);
  reporter.step(step_with("loss/generator", 1), alone.progress);
  const telemetry::Instruments& instruments = alone.reported.instruments;
  const double told = instruments.checkpoint_last_success_timestamp_seconds.value();
  EXPECT_GE(told, now.count());
  EXPECT_LT(told, now.count() + 600);
  EXPECT_FALSE(instruments.checkpoint_seconds.is_set());
}

TEST(Reporter, KeepsTheTimeOfACheckpointOfAnEarlierLabel) {
  ReportedAlone alone;
  const checkpoint::Writer writer(alone.folder.root(), {});
  telemetry::Gauge& time = alone.reported.instruments.checkpoint_last_success_timestamp_seconds;
  time.set(5);
  alone.reported.make(&writer).begin(alone.progress);
  EXPECT_EQ(time.value(), 5);
}

TEST(Reporter, HasNoTimeLeftThatTheBudgetLacks) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  alone.progress.images_seen = 4;
  testing::internal::CaptureStderr();
  alone.reporter.tick(alone.progress, /*budget_seconds_left=*/0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("  left 0"));
  alone.progress.images_seen = 40;  // all
  testing::internal::CaptureStderr();
  alone.reporter.tick(alone.progress, /*budget_seconds_left=*/7200);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("  left 0"));
}

TEST(Reporter, AddsTheEvaluationsToTheTimeLeft) {
  ReportedAlone alone("evaluate: {metrics: [fid10], every_kimg: 0.015}\n");
  alone.reporter.begin(alone.progress);
  alone.reporter.metrics({.images_seen = 16, .seconds = 3600, .measured = {}});
  alone.progress.images_seen = 20;
  testing::internal::CaptureStderr();
  alone.reporter.tick(alone.progress);  // before those of 30 and 40 images
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("  left 2h 00m"));
  alone.progress.images_seen = 32;
  testing::internal::CaptureStderr();
  alone.reporter.tick(alone.progress);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("  left 1h 00m"));
}

TEST(Reporter, SaysATickOfNoImagesOnce) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  alone.reporter.step(step_with("loss/generator", 1), alone.progress);
  alone.progress.images_seen = 4;
  alone.reporter.tick(alone.progress);
  alone.reporter.tick(alone.progress);
  EXPECT_EQ(alone.progress.tick, 1);
  EXPECT_EQ(only_line(alone.folder).at("images_seen"), 4);
}

TEST(Reporter, FindsEarlierMeasurements) {
  ReportedAlone alone("evaluate: {metrics: [fid10, pr10]}\ngenerator: {other_ema_kimg: [0.5]}\n");
  alone.progress.images_seen = 8;
  alone.reporter.begin(alone.progress);
  EXPECT_FALSE(alone.reporter.is_measured(alone.progress));
  MetricsLine line{.images_seen = 8, .seconds = 1.5, .measured = {}};
  line.measured.values = {{"fid10", 7}, {"pr10_precision", 1}, {"pr10_recall", 1}};
  alone.reporter.metrics(line);  // as by `ganscale evaluate`, which measures one average
  EXPECT_FALSE(alone.reporter.is_measured(alone.progress));
  line.measured = metrics::of_average(line.measured, 0.5);
  alone.reporter.metrics(line);
  EXPECT_TRUE(alone.reporter.is_measured(alone.progress));
  EXPECT_FALSE(alone.reporter.is_measured({.images_seen = 9}));
  EXPECT_EQ(alone.reported.instruments.fid.value(), 7);
}

TEST(Reporter, WarnsIfItCannotWriteTheMetrics) {
  ReportedAlone alone;
  alone.reporter.begin(alone.progress);
  std::filesystem::remove(alone.folder.metrics());
  std::filesystem::create_directory(alone.folder.metrics());
  MetricsLine line{.images_seen = 8, .seconds = 1.5, .measured = {}};
  line.measured.values = {{"fid10", 7}};
  testing::internal::CaptureStderr();
  alone.reporter.metrics(line);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("Cannot write the metrics"));
  EXPECT_EQ(alone.reported.instruments.fid.value(), 7);
}

}  // namespace
}  // namespace ganscale::training
