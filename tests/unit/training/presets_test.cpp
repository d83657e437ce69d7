#include "training/presets.h"

#include "support/expect_error.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

RunConfig preset(const std::string& name, int resolution) {
  return parse("model: {name: stylegan2, preset: " + name +
               ", resolution: " + std::to_string(resolution) + "}");
}

TEST(Preset, ConfigFIsItsColumn) {
  const RunConfig c = preset("config-f", 256);
  EXPECT_EQ(c.model.stylegan2.channel_base, 32768);
  EXPECT_EQ(c.model.stylegan2.channel_max, 512);
  EXPECT_EQ(c.model.stylegan2.mapping_layers, 8);
  EXPECT_EQ(c.model.stylegan2.z_dim, 512);
  EXPECT_EQ(c.model.stylegan2.stddev_group, 4);
  EXPECT_DOUBLE_EQ(c.model.stylegan2.style_mixing, 0.9);
  EXPECT_EQ(c.model.stylegan2.discriminator, models::stylegan2::Architecture::kResnet);
  EXPECT_EQ(c.training.precision, Precision::kFp32);
  EXPECT_EQ(c.training.batch, 32);
  EXPECT_DOUBLE_EQ(c.training.total_kimg, 25000);
  EXPECT_DOUBLE_EQ(c.generator.optimizer.learning_rate, 0.002);
  EXPECT_DOUBLE_EQ(c.generator.optimizer.beta1, 0);
  EXPECT_DOUBLE_EQ(c.discriminator.optimizer.beta2, 0.99);
  EXPECT_DOUBLE_EQ(c.discriminator.r1.gamma, 10);
  EXPECT_EQ(c.discriminator.r1.interval, 16);
  EXPECT_DOUBLE_EQ(c.generator.path_length.weight, 2);
  EXPECT_EQ(c.generator.path_length.interval, 4);
  EXPECT_DOUBLE_EQ(c.generator.ema.kimg, 10);
  EXPECT_DOUBLE_EQ(c.generator.ema.ramp_up, 0);
}

TEST(Preset, PaperAndCifarAreTheirColumns) {
  const RunConfig paper = preset("paper256", 256);
  EXPECT_EQ(paper.model.stylegan2.channel_base, 16384);
  EXPECT_EQ(paper.training.batch, 64);
  EXPECT_DOUBLE_EQ(paper.discriminator.r1.gamma, 1);
  EXPECT_DOUBLE_EQ(paper.generator.ema.kimg, 20);
  EXPECT_EQ(paper.model.stylegan2.stddev_group, 8);
  EXPECT_EQ(paper.training.precision, Precision::kFp16);
  EXPECT_EQ(paper.model.stylegan2.narrow_type, at::kHalf);
  EXPECT_EQ(paper.model.stylegan2.narrow_resolutions, 4);

  const RunConfig cifar = preset("cifar", 32);
  EXPECT_EQ(cifar.model.stylegan2.mapping_layers, 2);
  EXPECT_EQ(cifar.model.stylegan2.stddev_group, 32);
  EXPECT_EQ(cifar.model.stylegan2.discriminator, models::stylegan2::Architecture::kOrig);
  EXPECT_DOUBLE_EQ(cifar.model.stylegan2.style_mixing, 0);
  EXPECT_DOUBLE_EQ(cifar.generator.path_length.weight, 0);
  EXPECT_DOUBLE_EQ(cifar.discriminator.r1.gamma, 0.01);
  EXPECT_DOUBLE_EQ(cifar.generator.ema.kimg, 500);
  EXPECT_DOUBLE_EQ(cifar.generator.ema.ramp_up, 0.05);
  EXPECT_DOUBLE_EQ(cifar.training.total_kimg, 100000);
}

// max(min(g * min(4096 / res, 32), 64), g) and 2e-4 res^2 / batch.
TEST(Preset, AutoFollowsResolutionAndRanks) {
  const auto automatic = [](int resolution, int world_size) {
    config::Node root = config::parse_yaml(
        "model: {name: stylegan2, preset: auto, resolution: " + std::to_string(resolution) + "}",
        "run.yaml");
    apply_preset(root, world_size);
    return parse_run(root);
  };
  const RunConfig one = automatic(256, 1);
  EXPECT_EQ(one.training.batch, 16);
  EXPECT_DOUBLE_EQ(one.discriminator.r1.gamma, 0.8192);
  EXPECT_DOUBLE_EQ(one.generator.ema.kimg, 5);
  EXPECT_EQ(one.model.stylegan2.channel_base, 16384);
  EXPECT_EQ(one.model.stylegan2.mapping_layers, 2);
  const RunConfig eight = automatic(1024, 8);
  EXPECT_EQ(eight.training.batch, 32);
  EXPECT_EQ(eight.model.stylegan2.channel_base, 32768);
  EXPECT_DOUBLE_EQ(eight.generator.optimizer.learning_rate, 0.002);
  EXPECT_EQ(automatic(64, 128).training.batch, 128);
}

TEST(Preset, GivesWayToEveryKeyOfTheRun) {
  const RunConfig c = parse(
      "model: {name: stylegan2, preset: config-f, resolution: 64, channel_max: 64}\n"
      "training: {batch: 8}\n");
  EXPECT_EQ(c.model.stylegan2.channel_max, 64);
  EXPECT_EQ(c.training.batch, 8);
  EXPECT_EQ(parse(c.resolved).resolved, c.resolved);
}

TEST(Preset, RefusesAnUnknownName) {
  expect_error(ExitCode::kConfig, "model.preset: expected one of auto, config-f, config-e",
               [] { preset("config-g", 64); });
}

TEST(Precision, Fp16IsForStylegan2) {
  expect_error(ExitCode::kConfig, "fp16 is for stylegan2 only",
               [] { parse("model: {name: dcgan}\ntraining: {precision: fp16}\n"); });
}

}  // namespace
}  // namespace ganscale::training
