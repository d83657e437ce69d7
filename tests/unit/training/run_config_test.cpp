#include "training/run_config.h"

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

TEST(RunConfig, RefusesABatchThatTheRanksCannotShare) {
  const RunConfig config = parse("training: {batch: 64}\n");
  EXPECT_NO_THROW(require_fits_world(config, 4));
  expect_error(ExitCode::kConfig, "divisible by the number of ranks: 64 on 3 ranks",
               [&] { require_fits_world(config, 3); });
}

}  // namespace
}  // namespace ganscale::training
