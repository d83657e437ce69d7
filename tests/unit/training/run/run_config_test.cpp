#include "training/run/run_config.h"

#include <limits>

#include "optim/rules/adam.h"
#include "optim/rules/sgd.h"
#include "support/expect_error.h"
#include "support/expect_optimizer.h"
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
  EXPECT_DOUBLE_EQ(config.generator.policy.learning_rate, 0.001);
  EXPECT_DOUBLE_EQ(config.generator.ema.kimg, 5);
  optim::expect_optimizer(config.discriminator.policy, optim::SgdOptions{.momentum = 0.9});
}

TEST(RunConfig, ResolvedReadsBackAsItself) {
  const RunConfig config = parse("training: {batch: 48}\ndata: {path: x}\n");
  EXPECT_EQ(parse(config.resolved).resolved, config.resolved);
}

TEST(RunConfig, TakesTheOptimizerOfTheLossIfNoneIsGiven) {
  const RunConfig saturating = parse("{}");
  EXPECT_EQ(saturating.discriminator.policy.learning_rate, 2e-4);
  optim::expect_optimizer(saturating.discriminator.policy, optim::AdamOptions{.beta1 = 0.5});
  const RunConfig wasserstein = parse(
      "loss: {name: wasserstein}\n"
      "generator: {optimizer: {learning_rate: 0.002}}\n");
  EXPECT_EQ(wasserstein.discriminator.policy.learning_rate, 1e-4);
  EXPECT_EQ(wasserstein.generator.policy.learning_rate, 0.002);
  for (const auto& policy : {wasserstein.generator.policy, wasserstein.discriminator.policy}) {
    optim::expect_optimizer(policy, optim::AdamOptions{.beta1 = 0, .beta2 = 0.9});
  }
}

TEST(RunConfig, GathersEachNetworksPolicyFromTheSections) {
  const RunConfig clipped = parse("loss: {name: wasserstein, critic_steps: 3, weight_clip: 0.01}");
  EXPECT_EQ(clipped.generator.policy.update_interval, 3);
  EXPECT_EQ(clipped.generator.policy.weight_limit, 0);
  EXPECT_EQ(clipped.discriminator.policy.update_interval, 1);
  EXPECT_EQ(clipped.discriminator.policy.weight_limit, 0.01);
  EXPECT_EQ(clipped.generator.policy.lazy_interval, 0);
  EXPECT_EQ(clipped.discriminator.policy.lazy_interval, 0);
  const RunConfig regularized = parse(
      "model: {name: stylegan2}\n"
      "generator: {path_length_weight: 2}\n"
      "discriminator: {r1_gamma: 10, r1_interval: 8}\n");
  EXPECT_EQ(regularized.generator.policy.lazy_interval, 4);
  EXPECT_EQ(regularized.discriminator.policy.lazy_interval, 8);
}

TEST(RunConfig, GivesEachNetworksPolicyTheBatch) {
  const RunConfig config = parse("training: {batch: 48}");
  EXPECT_EQ(config.generator.policy.batch, 48);
  EXPECT_EQ(config.discriminator.policy.batch, 48);
}

TEST(RunConfig, NamesFileLineAndKeyOfAMistakeInAPolicy) {
  expect_refused(
      "run.yaml:4: generator.optimizer.inner.name: expected one of [adam, adamw, radam, adabelief, "
      "sgd, rmsprop, lamb, lars]: lookahead",
      "generator:\n  optimizer:\n    name: lookahead\n    inner: {name: lookahead}\n");
  expect_refused("run.yaml:2: discriminator.optimizer.clipping.max_norm: must be positive",
                 "discriminator:\n  optimizer: {clipping: {name: global_norm, max_norm: 0}}\n");
  expect_refused("run.yaml:1: unknown key: generator.optimizer.momentum",
                 "generator: {optimizer: {name: lamb, momentum: 0.9}}\n");
  expect_refused("run.yaml:1: discriminator.optimizer.learning_rate: must be positive",
                 "discriminator: {optimizer: {learning_rate: -0.1}}\n");
}

TEST(RunConfig, ResolvedOfAPolicyReadsBackAsItself) {
  const RunConfig config = parse(
      "generator: {optimizer: {name: lookahead, interval: 6, inner: {name: lars}, "
      "batch_rule: {name: sqrt, base_batch: 32}, schedule: {name: cosine, warmup_kimg: 2}}}\n"
      "discriminator: {optimizer: {name: lamb, clipping: {name: global_norm}}}\n");
  EXPECT_EQ(parse(config.resolved).resolved, config.resolved);
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

TEST(BudgetConfig, CountsTheTimeOfEarlierAttempts) {
  const auto seconds_left = [](const std::string& budget, double used, double used_of_devices,
                               int device_count) {
    return parse("budget: " + budget).budget.seconds_left(used, used_of_devices, device_count);
  };
  EXPECT_EQ(seconds_left("{}", 100, 100, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(seconds_left("{wall: 2h}", 3600, 3600 * 64, 4), 3600);
  EXPECT_EQ(seconds_left("{wall: 2h}", 7201, 7201, 1), -1);
  // Four of eight hours were spent on four devices: two are left the other four.
  EXPECT_EQ(seconds_left("{gpu_hours: 8}", 3600, 3600 * 4, 2), 7200);
  EXPECT_EQ(seconds_left("{wall: 3h, gpu_hours: 8}", 3600, 3600 * 4, 1), 7200);
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

TEST(RunConfig, NamesFileLineAndKeyIfTwoSectionsDisagree) {
  expect_error(ExitCode::kConfig,
               "run.yaml:2: training.precision: fp16 is for stylegan2, stylegan3 only",
               [] { parse("model: {name: dcgan}\ntraining: {precision: fp16}\n"); });
  expect_error(ExitCode::kConfig,
               "run.yaml:1: training.devices_per_process: 2 requires scheme per_label",
               [] { parse("training: {devices_per_process: 2}\n"); });
}

TEST(RunConfig, LeavesTheSchemeAloneIfNothingIsTrained) {
  const auto config =
      parse_run(config::parse_yaml("scheme: {name: of_another_program, speed: 3}\n", "run.yaml"));
  EXPECT_EQ(config.scheme.name, "");
  EXPECT_EQ(config.scheme.chosen, nullptr);
}

}  // namespace
}  // namespace ganscale::training
