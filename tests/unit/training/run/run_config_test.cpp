#include "training/run/run_config.h"

#include "support/expect_error.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

TEST(RunConfig, ReadsEverySection) {
  const RunConfig config = parse(
      "model: {name: conditional_dcgan, resolution: 64}\n"
      "data: {path: /data/faces, mirror: true}\n"
      "scheme: {name: synchronous}\n"
      "training: {total_kimg: 1.5, batch: 32, seed: 7, seed_mode: rank, precision: bf16}\n"
      "generator: {optimizer: {name: adam, learning_rate: 0.001}, ema_kimg: 5}\n"
      "discriminator: {optimizer: {name: sgd}}\n"
      "checkpoint: {every_kimg: 10}\n"
      "telemetry: {metrics_port: 0}\n"
      "comm: {timeout: 30s}\n");
  EXPECT_EQ(config.model.resolution, 64);
  EXPECT_TRUE(config.data.mirror);
  EXPECT_EQ(config.training.total_images(), 1500);
  EXPECT_EQ(config.training.seed_mode, SeedMode::kRank);
  EXPECT_EQ(config.training.precision, Precision::kBf16);
  EXPECT_DOUBLE_EQ(config.generator.optimizer.learning_rate, 0.001);
  EXPECT_DOUBLE_EQ(config.generator.ema.kimg, 5);
  EXPECT_EQ(config.discriminator.optimizer.name, "sgd");
}

TEST(RunConfig, ResolvedReadsBackAsItself) {
  const RunConfig config = parse("training: {batch: 48}\ndata: {path: x}\n");
  EXPECT_EQ(parse(config.resolved).resolved, config.resolved);
}

TEST(RunConfig, TakesTheLossesOwnOptimizerWhereNoneIsGiven) {
  const RunConfig saturating = parse("{}");
  EXPECT_EQ(saturating.discriminator.optimizer.learning_rate, 2e-4);
  EXPECT_EQ(saturating.discriminator.optimizer.beta1, 0.5);
  const RunConfig wasserstein = parse(
      "loss: {name: wasserstein}\n"
      "generator: {optimizer: {learning_rate: 0.002}}\n");
  EXPECT_EQ(wasserstein.discriminator.optimizer.learning_rate, 1e-4);
  EXPECT_EQ(wasserstein.generator.optimizer.learning_rate, 0.002);
  for (const auto& optimizer :
       {wasserstein.generator.optimizer, wasserstein.discriminator.optimizer}) {
    EXPECT_EQ(optimizer.name, "adam");
    EXPECT_EQ(optimizer.beta1, 0);
    EXPECT_EQ(optimizer.beta2, 0.9);
  }
}

TEST(BudgetConfig, GivesEachRankItsTime) {
  const auto seconds = [](const std::string& budget, int device_count) {
    return parse("budget: " + budget).budget.seconds(device_count);
  };
  EXPECT_EQ(seconds("{}", 4), 0);
  EXPECT_EQ(seconds("{wall: 2h}", 4), 7200);
  EXPECT_EQ(seconds("{gpu_hours: 8}", 4), 7200);
  EXPECT_EQ(seconds("{wall: 1h, gpu_hours: 8}", 4), 3600);  // whatever is spent first
  EXPECT_EQ(seconds("{wall: 1h, gpu_hours: 8}", 16), 1800);
}

TEST(RunConfig, NamesFileLineAndKeyOfAMistake) {
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: training.bach (did you mean batch?)",
               [] { parse("training:\n  bach: 64\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: training.batch: must be greater than 0",
               [] { parse("training: {batch: 0}\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: training.seed: must not be negative",
               [] { parse("training: {seed: -1}\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: scheme.name: expected one of",
               [] { parse("scheme: {name: horovod}\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: model.resolution",
               [] { parse("model: {resolution: 48}\n"); });
}

TEST(RunConfig, NamesFileLineAndKeyWhereTwoSectionsDisagree) {
  expect_error(ExitCode::kConfig, "run.yaml:2: training.precision: fp16 is for stylegan2 only",
               [] { parse("model: {name: dcgan}\ntraining: {precision: fp16}\n"); });
  expect_error(ExitCode::kConfig,
               "run.yaml:1: training.devices_per_process: 2 is for scheme per_label",
               [] { parse("training: {devices_per_process: 2}\n"); });
}

TEST(RunConfig, LeavesTheSchemeAloneWhereNothingIsTrained) {
  const auto config =
      parse_run(config::parse_yaml("scheme: {name: of_another_program, speed: 3}\n", "run.yaml"));
  EXPECT_EQ(config.scheme.name, "");
}

}  // namespace
}  // namespace ganscale::training
