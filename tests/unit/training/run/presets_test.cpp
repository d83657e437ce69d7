#include "training/run/presets.h"

#include <cmath>

#include "models/biggan/config.h"
#include "models/model_table.h"
#include "models/r3gan/config.h"
#include "models/stylegan2/config.h"
#include "models/stylegan3/config.h"
#include "optim/rules/adabelief.h"
#include "optim/rules/adam.h"
#include "optim/rules/sgd.h"
#include "support/expect_error.h"
#include "support/expect_optimizer.h"
#include "training/run/built_in_presets.h"
#include "training/run/parse_run.h"
#include "training/run/section_checks.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

using models::stylegan::Architecture;

template <class NetworkConfig = models::stylegan2::NetworkConfig>
NetworkConfig networks_of(const RunConfig& config) {
  using Blueprint = models::BlueprintOf<NetworkConfig>;
  const auto& blueprint = dynamic_cast<const Blueprint&>(*config.model.blueprint);
  return blueprint.networks({.low_precision_type = config.model.low_precision_type});
}

RunConfig preset(const std::string& name, int resolution) {
  return parse("model: {name: stylegan2, preset: " + name +
               ", resolution: " + std::to_string(resolution) + "}");
}

/// A column of the public configurations; what is the same in all of them is not here.
struct Column {
  std::string name;
  int resolution;
  int channel_base;
  int mapping_layers;
  double learning_rate;
  int batch;
  double r1_gamma;
  double ema_kimg;
  double ema_ramp_up;
  int stddev_group;
  double path_length_weight;
  double style_mixing;
  Architecture discriminator;
  double total_kimg;
  int low_precision_resolutions;
};

void expect_column(const Column& column) {
  SCOPED_TRACE(column.name);
  const RunConfig c = preset(column.name, column.resolution);
  const auto networks = networks_of(c);
  EXPECT_EQ(networks.channel_base, column.channel_base);
  EXPECT_EQ(networks.channel_max, 512);
  EXPECT_EQ(networks.z_dim, 512);
  EXPECT_EQ(networks.w_dim, 512);
  EXPECT_EQ(networks.mapping_layers, column.mapping_layers);
  EXPECT_EQ(networks.stddev_group, column.stddev_group);
  EXPECT_EQ(networks.style_mixing, column.style_mixing);
  EXPECT_EQ(networks.architecture, column.discriminator);
  EXPECT_EQ(networks.low_precision_resolutions, column.low_precision_resolutions);
  EXPECT_EQ(networks.low_precision_type.has_value(), column.low_precision_resolutions > 0);
  EXPECT_EQ(networks.conv_clamp, 256);
  EXPECT_EQ(c.training.batch, column.batch);
  EXPECT_EQ(c.training.total_kimg, column.total_kimg);
  EXPECT_EQ(c.generator.ema.kimg, column.ema_kimg);
  EXPECT_EQ(c.generator.ema.ramp_up, column.ema_ramp_up);
  EXPECT_EQ(c.generator.path_length.weight, column.path_length_weight);
  EXPECT_EQ(c.generator.path_length.interval, 4);
  EXPECT_EQ(c.discriminator.penalties.r1_gamma, column.r1_gamma);
  EXPECT_EQ(c.discriminator.penalties.interval, 16);
  EXPECT_EQ(c.generator.policy.lazy_interval, 4);
  EXPECT_EQ(c.discriminator.policy.lazy_interval, 16);
  for (auto policy : {c.generator.policy, c.discriminator.policy}) {
    EXPECT_EQ(policy.learning_rate, column.learning_rate);
    policy.lazy_interval = 0;
    optim::expect_optimizer(policy, optim::AdamOptions{.beta1 = 0, .beta2 = 0.99, .epsilon = 1e-8});
  }
}

TEST(Preset, IsItsColumnOfThePublicConfigurations) {
  constexpr auto kResnet = Architecture::kResnet;
  constexpr auto kOrig = Architecture::kOrig;
  expect_column({"config-f", 256, 32768, 8, .002, 32, 10, 10, 0, 4, 2, .9, kResnet, 25000, 0});
  expect_column({"config-e", 256, 16384, 8, .002, 32, 100, 10, 0, 4, 2, .9, kResnet, 25000, 0});
  expect_column({"stylegan2", 1024, 32768, 8, .002, 32, 10, 10, 0, 4, 2, .9, kResnet, 25000, 4});
  expect_column({"paper256", 256, 16384, 8, .0025, 64, 1, 20, 0, 8, 2, .9, kResnet, 25000, 4});
  expect_column({"paper512", 512, 32768, 8, .0025, 64, .5, 20, 0, 8, 2, .9, kResnet, 25000, 4});
  expect_column({"paper1024", 1024, 32768, 8, .002, 32, 2, 10, 0, 4, 2, .9, kResnet, 25000, 4});
  expect_column({"cifar", 32, 32768, 2, .0025, 64, .01, 500, .05, 32, 0, 0, kOrig, 100000, 4});
}

TEST(Preset, OfAPaperHasTheResolutionInItsName) {
  for (const int resolution : {256, 512, 1024}) {
    const std::string name = "paper" + std::to_string(resolution);
    EXPECT_EQ(parse("model: {preset: " + name + "}").model.resolution, resolution);
    EXPECT_EQ(preset(name, 64).model.resolution, 64) << "a run's own key wins";
  }
}

TEST(Preset, AutoFollowsTheResolutionThatTheModelHasByDefault) {
  const RunConfig config = parse("model: {preset: auto}");
  EXPECT_DOUBLE_EQ(config.discriminator.penalties.r1_gamma,
                   0.0002 * static_cast<double>(config.model.resolution.pixels()) /
                       static_cast<double>(config.training.batch));
}

// max(min(g * min(4096 / res, 32), 64), g) and 2e-4 res^2 / batch.
TEST(Preset, AutoFollowsResolutionAndRanks) {
  const auto automatic = [](const std::string& resolution, int world_size) {
    config::Node root = config::parse_yaml(
        "model: {name: stylegan2, preset: auto, resolution: " + resolution + "}", "run.yaml");
    apply_presets(root, world_size);
    return parse_run(root);
  };
  const RunConfig one = automatic("256", 1);
  EXPECT_EQ(one.training.batch, 16);
  EXPECT_DOUBLE_EQ(one.discriminator.penalties.r1_gamma, 0.8192);
  EXPECT_DOUBLE_EQ(one.generator.ema.kimg, 5);
  EXPECT_EQ(networks_of(one).channel_base, 16384);
  EXPECT_EQ(networks_of(one).mapping_layers, 2);
  const RunConfig eight = automatic("1024", 8);
  EXPECT_EQ(eight.training.batch, 32);
  EXPECT_EQ(networks_of(eight).channel_base, 32768);
  EXPECT_DOUBLE_EQ(eight.generator.policy.learning_rate, 0.002);
  EXPECT_EQ(automatic("64", 128).training.batch, 128);
  const RunConfig wide = automatic("[256, 512]", 1);
  EXPECT_EQ(wide.training.batch, 8);
  EXPECT_DOUBLE_EQ(wide.discriminator.penalties.r1_gamma, 0.0002 * 256 * 512 / 8);
}

TEST(Preset, GivesWayToEveryKeyOfTheRun) {
  const RunConfig c = parse(
      "model: {name: stylegan2, preset: config-f, resolution: 64, channel_max: 64}\n"
      "training: {batch: 8}\n");
  EXPECT_EQ(networks_of(c).channel_max, 64);
  EXPECT_EQ(c.training.batch, 8);
  EXPECT_EQ(parse(c.resolved).resolved, c.resolved);
}

TEST(Preset, IsAConfigurationThatCanBeRead) {
  for (const auto& [name, text] : model_presets()) {
    const RunConfig c = parse("model: {preset: " + name + ", resolution: 64}");
    EXPECT_THAT(c.resolved, testing::HasSubstr("\n  preset: " + name + " "));
  }
}

/// Expects AdaBelief for G, with a third of the model's rate, and Adam for D.
void expect_paragan(const RunConfig& config, const optim::AdamOptions& of_discriminator) {
  optim::NetworkPolicy generator = config.generator.policy;
  optim::NetworkPolicy discriminator = config.discriminator.policy;
  generator.lazy_interval = 0;
  discriminator.lazy_interval = 0;
  optim::expect_optimizer(generator,
                          optim::AdaBeliefOptions{.beta1 = 0.5, .beta2 = 0.999, .epsilon = 1e-12});
  optim::expect_optimizer(discriminator, of_discriminator);
  EXPECT_NEAR(generator.learning_rate_multiplier, 1.0 / 3, 1e-4);
  EXPECT_EQ(discriminator.learning_rate_multiplier, 1);
}

TEST(Preset, ParaganPairsAdaBeliefWithAdamForEveryModel) {
  for (const models::Model& model : models::model_table()) {
    SCOPED_TRACE(model.name);
    expect_paragan(parse("preset: paragan\nmodel: {name: " + std::string(model.name) + "}"),
                   {.beta1 = 0.5});
  }
}

TEST(Preset, OfTheRunOverridesThePresetOfItsModel) {
  const RunConfig c = parse(
      "preset: paragan\n"
      "model: {name: stylegan2, preset: config-f, resolution: 64}\n");
  expect_paragan(c, {.beta1 = 0, .beta2 = 0.99});
  EXPECT_EQ(c.generator.policy.learning_rate, 0.002);
  EXPECT_EQ(c.discriminator.policy.learning_rate, 0.002);
  EXPECT_EQ(parse(c.resolved).resolved, c.resolved);
}

TEST(Preset, OfTheRunGivesWayToItsKeys) {
  const RunConfig c = parse(
      "preset: paragan\n"
      "generator: {optimizer: {betas: [0.25, 0.75], epsilon: 1e-6, learning_rate: 0.125}}\n"
      "discriminator: {optimizer: {name: sgd}}\n");
  optim::expect_optimizer(c.generator.policy,
                          optim::AdaBeliefOptions{.beta1 = 0.25, .beta2 = 0.75, .epsilon = 1e-6});
  EXPECT_EQ(c.generator.policy.learning_rate, 0.125);
  optim::expect_optimizer(c.discriminator.policy, optim::SgdOptions{.momentum = 0.9});
}

TEST(Preset, DropsKeysThatAnotherChoiceDoesNotUse) {
  const RunConfig c = parse("model: {preset: r3gan-cifar10}\naugment: {name: none}\n");
  EXPECT_EQ(c.augment.method, augment::Method::kNone);
  EXPECT_NO_THROW(
      parse("model: {preset: config-f, resolution: 64}\n"
            "discriminator: {penalty_phase: main}\n"));
  expect_refused("run.yaml:2: unknown key: augment.p_schedule",
                 "model: {preset: r3gan-cifar10}\n"
                 "augment: {name: none, p_schedule: {final: 0.25}}\n");
}

void expect_all_read(const config::Node& preset, const config::Node& resolved,
                     const std::string& path) {
  for (const auto& [key, value] : *preset.map()) {
    const auto found = std::ranges::find(*resolved.map(), key, &config::Node::Entry::key);
    ASSERT_NE(found, resolved.map()->end()) << path << key;
    if (value.map() != nullptr) expect_all_read(value, found->value, path + key + ".");
  }
}

TEST(Preset, HasNoKeyThatNothingReads) {
  for (const auto& [name, text] : model_presets()) {
    SCOPED_TRACE(name);
    const RunConfig c = parse("model: {preset: " + name + "}");
    expect_all_read(config::parse_yaml(text, name), config::parse_yaml(c.resolved, "resolved"), "");
  }
  for (const auto& [name, text] : run_presets()) {
    SCOPED_TRACE(name);
    const RunConfig c = parse("preset: " + name);
    expect_all_read(config::parse_yaml(text, name), config::parse_yaml(c.resolved, "resolved"), "");
  }
}

TEST(Preset, OfTheRunIsDistinctFromTheModels) {
  expect_refused("run.yaml:1: preset: expected one of paragan: config-f", "preset: config-f\n");
  expect_refused("run.yaml:1: model.preset: expected one of auto, biggan, biggan-deep",
                 "model: {name: stylegan2, preset: paragan}\n");
}

// Brock et al. 2018, Section 3; the scripts of BigGAN-PyTorch.
TEST(Preset, HasBothRecipesOfBiggan) {
  const RunConfig paper = parse("model: {preset: biggan, resolution: 128}");
  EXPECT_EQ(paper.model.name, "biggan");
  EXPECT_EQ(paper.loss.kind, losses::Adversarial::kHinge);
  EXPECT_TRUE(paper.loss.discriminator_first);
  EXPECT_EQ(paper.loss.critic_steps, 2);
  EXPECT_EQ(paper.training.batch, 2048);
  EXPECT_DOUBLE_EQ(paper.generator.policy.learning_rate, 5e-5);
  EXPECT_DOUBLE_EQ(paper.discriminator.policy.learning_rate, 2e-4);
  EXPECT_DOUBLE_EQ(paper.generator.orthogonality_weight, 1e-4);
  // 0.9999 a step of the generator, which is two steps here.
  EXPECT_NEAR(std::pow(optim::ema_beta(paper.generator.ema, 2048, 0), 2), 0.9999, 1e-8);
  const RunConfig pytorch = parse("model: {preset: biggan-pytorch, resolution: 128}");
  EXPECT_EQ(pytorch.loss.critic_steps, 1);
  EXPECT_EQ(pytorch.training.accumulate, 8);
  EXPECT_DOUBLE_EQ(pytorch.generator.policy.learning_rate, 1e-4);
  EXPECT_DOUBLE_EQ(pytorch.discriminator.policy.learning_rate, 4e-4);
  EXPECT_EQ(optim::ema_beta(pytorch.generator.ema, 2048, 19'999 * 2048), 0);
  EXPECT_NEAR(optim::ema_beta(pytorch.generator.ema, 2048, 20'000 * 2048), 0.9999, 1e-8);
}

/// What the recipes of a BigGAN differ by in the networks.
struct BigganNetworks {
  models::biggan::Depth depth;
  int channels;
  double norm_epsilon;
  double spectral_epsilon;
};

void expect_biggan(const std::string& model, const BigganNetworks& expected) {
  SCOPED_TRACE(model);
  const auto networks =
      networks_of<models::biggan::NetworkConfig>(parse("model: {" + model + ", resolution: 128}"));
  EXPECT_EQ(networks.depth, expected.depth);
  EXPECT_EQ(networks.generator_channels, expected.channels);
  EXPECT_EQ(networks.discriminator_channels, expected.channels);
  EXPECT_EQ(networks.norm.epsilon, expected.norm_epsilon);
  EXPECT_EQ(networks.spectral_epsilon, expected.spectral_epsilon);
}

// Brock et al. 2018, Appendix C, and the networks released with it; the scripts of BigGAN-PyTorch.
TEST(Preset, HasTheWidthsAndEpsilonsOfEachBiggan) {
  using models::biggan::Depth;
  expect_biggan("preset: biggan", {Depth::kPlain, 96, 1e-4, 1e-4});
  expect_biggan("preset: biggan-pytorch", {Depth::kPlain, 96, 1e-5, 1e-6});
  expect_biggan("preset: biggan-deep", {Depth::kDeep, 128, 1e-4, 1e-4});
  expect_biggan("preset: biggan-deep-pytorch", {Depth::kDeep, 128, 1e-5, 1e-6});
  expect_biggan("name: biggan_deep, preset: biggan", {Depth::kDeep, 96, 1e-4, 1e-4});
  for (const std::string& of : {std::string(), std::string("-pytorch")}) {
    const RunConfig deep = parse("model: {preset: biggan-deep" + of + "}");
    const RunConfig plain = parse("model: {preset: biggan" + of + "}");
    EXPECT_EQ(deep.loss.critic_steps, plain.loss.critic_steps);
    EXPECT_EQ(deep.training.accumulate, plain.training.accumulate);
    EXPECT_EQ(deep.generator.policy.learning_rate, plain.generator.policy.learning_rate);
  }
}

/// A column of the configurations published with R3GAN, first and final values.
struct R3ganColumn {
  std::string name;
  int resolution;
  bool conditional;
  std::int64_t batch;
  double gamma;
  double final_half_life_images;
  double final_p;
  std::int64_t end_images;
};

using Numbers = std::vector<std::int64_t>;

/// The networks of such a column.
struct R3ganNetworks {
  Numbers widths;  ///< of the stages, from 4x4 up
  Numbers groups;
  int lowest_bf16_resolution;
};

void expect_networks(const RunConfig& config, const R3ganNetworks& expected) {
  const auto networks = networks_of<models::r3gan::NetworkConfig>(config);
  Numbers widths;
  Numbers groups;
  for (const models::r3gan::Stage& stage : networks.stages) {
    widths.push_back(stage.width);
    groups.push_back(stage.cardinality);
    EXPECT_EQ(stage.blocks, 2);
  }
  EXPECT_EQ(widths, expected.widths);
  EXPECT_EQ(groups, expected.groups);
  EXPECT_EQ(networks.expansion, 2);
  EXPECT_EQ(networks.z_dim, 64);
  EXPECT_EQ(networks.label_dim, 64);
  EXPECT_EQ(networks.score_label_dim, expected.widths.front());
  EXPECT_EQ(config.training.precision, Precision::kBf16);
  EXPECT_EQ(config.model.blueprint->lowest_low_precision_resolution(),
            expected.lowest_bf16_resolution);
}

void expect_r3gan(const R3ganColumn& column, const R3ganNetworks& networks) {
  SCOPED_TRACE(column.name);
  const RunConfig c = parse("model: {preset: " + column.name + "}");
  expect_networks(c, networks);
  EXPECT_EQ(c.model.resolution, column.resolution);
  EXPECT_EQ(c.model.conditional, column.conditional);
  EXPECT_EQ(c.training.batch, column.batch);
  EXPECT_EQ(c.loss.kind, losses::Adversarial::kRelativistic);
  EXPECT_TRUE(c.loss.discriminator_first);
  EXPECT_EQ(c.discriminator.penalties.phase, losses::PenaltyPhase::kMain);
  EXPECT_EQ(c.discriminator.policy.lazy_interval, 0);
  for (const auto& policy : {c.generator.policy, c.discriminator.policy})
    optim::expect_optimizer(policy, optim::AdamOptions{.beta1 = 0, .beta2 = 0.9, .epsilon = 1e-8});
  const auto expect_values = [&](std::int64_t seen, double rate, double beta2, double gamma,
                                 double half_life, double p) {
    for (const auto& policy : {c.generator.policy, c.discriminator.policy}) {
      EXPECT_DOUBLE_EQ(optim::effective_rate(policy, seen, c.training.total_images()), rate);
      EXPECT_DOUBLE_EQ(optim::effective_beta2(policy, seen).value(), beta2);
    }
    const losses::PenaltyOptions& penalties = c.discriminator.penalties;
    EXPECT_DOUBLE_EQ(penalties.r1_gamma * penalties.factor(seen), gamma);
    EXPECT_EQ(penalties.r1_gamma, penalties.r2_gamma);
    EXPECT_DOUBLE_EQ(optim::ema_half_life_images(c.generator.ema, seen), half_life);
    EXPECT_DOUBLE_EQ(schedule::value_of(c.augment.p_schedule, c.augment.p, seen), p);
  };
  expect_values(0, 2e-4, 0.9, column.gamma, 0, 0);
  expect_values(column.end_images, 5e-5, 0.99, column.gamma / 10, column.final_half_life_images,
                column.final_p);
  EXPECT_FALSE(c.augment.adaptive);
  EXPECT_TRUE(c.augment.pipeline.cutout && c.augment.pipeline.hue && c.augment.pipeline.xflip);
  EXPECT_EQ(c.augment.pipeline.color_strength, 0.5);
  EXPECT_TRUE(c.data.mirror);
  EXPECT_EQ(config_warnings(c), std::vector<std::string>{});
}

TEST(Preset, HasThePublishedRecipesOfR3gan) {
  expect_r3gan({"r3gan-cifar10", 32, true, 512, .05, 5e6, .55, 20'000'000},
               {{768, 768, 768, 768}, {96, 96, 96, 96}, 8});
  expect_r3gan({"r3gan-ffhq64", 64, false, 256, 2, 5e5, .3, 20'000'000},
               {{768, 768, 768, 768, 384}, {96, 96, 96, 96, 48}, 8});
  expect_r3gan({"r3gan-ffhq256", 256, false, 256, 150, 5e5, .3, 20'000'000},
               {{768, 768, 768, 768, 384, 192, 96}, {96, 96, 96, 96, 48, 24, 12}, 32});
  expect_r3gan({"r3gan-imagenet32", 32, true, 4096, .5, 5e7, .5, 200'000'000},
               {{1536, 1536, 1536, 1536}, {96, 96, 96, 96}, 8});
  expect_r3gan({"r3gan-imagenet64", 64, true, 4096, 1, 5e7, .4, 200'000'000},
               {{1536, 1536, 1536, 1536, 1536}, {96, 96, 96, 96, 96}, 8});
}

// Karras et al. 2021, configurations T and R of the public implementation.
TEST(Preset, HasBothConfigurationsOfStylegan3) {
  for (const bool is_r : {false, true}) {
    const RunConfig c = parse(std::string("model: {preset: stylegan3-") + (is_r ? "r" : "t") +
                              ", resolution: 256}");
    const auto networks = networks_of<models::stylegan3::NetworkConfig>(c);
    EXPECT_EQ(networks.synthesis.channel_base, is_r ? 65536 : 32768);
    EXPECT_EQ(networks.synthesis.channel_max, is_r ? 1024 : 512);
    EXPECT_EQ(networks.synthesis.kernel, is_r ? 1 : 3);
    EXPECT_EQ(networks.synthesis.has_radial_filters, is_r);
    EXPECT_EQ(networks.discriminator.channel_base, 32768);
    EXPECT_EQ(networks.mapping_layers, 2);
    EXPECT_EQ(networks.clamp, 256);
    EXPECT_NEAR(networks.magnitude_beta, std::pow(0.5, 32 / 20e3), 1e-7);
    EXPECT_EQ(c.augment.blur.sigma, is_r ? 10 : 0);
    EXPECT_EQ(c.augment.blur.fade_kimg, is_r ? 200 : 0);
    EXPECT_EQ(c.augment.method, augment::Method::kAda);
    EXPECT_EQ(c.training.batch, 32);
    EXPECT_EQ(c.generator.policy.learning_rate, 0.0025);
    EXPECT_EQ(c.generator.policy.lazy_interval, 0);
    EXPECT_EQ(c.generator.path_length.weight, 0);
    EXPECT_EQ(c.generator.ema.kimg, 10);
    EXPECT_EQ(c.generator.ema.ramp_up, 0.05);
    EXPECT_EQ(c.discriminator.policy.learning_rate, 0.002);
    EXPECT_EQ(c.discriminator.policy.lazy_interval, 16);
    EXPECT_EQ(c.discriminator.unpenalized, std::vector<std::string>{"b4.out.bias"});
  }
}

TEST(Preset, DoesNotWarmUpTrainedNetworks) {
  const std::string weights = "training: {resume_weights: runs/r1}\n";
  const std::string stylegan3 = "model: {preset: stylegan3-r, resolution: 256}\n";
  const RunConfig c = parse(stylegan3 + weights);
  for (const RunConfig& same : {c, parse(c.resolved)}) {
    EXPECT_EQ(same.generator.ema.ramp_up, 0);
    EXPECT_EQ(same.augment.blur.sigma, 0);
    EXPECT_EQ(same.augment.adaptation.speed_kimg, 100);
  }
  const RunConfig biggan = parse(weights + "model: {preset: biggan-pytorch, resolution: 128}");
  EXPECT_EQ(biggan.generator.ema.start_kimg, 0);
  EXPECT_EQ(parse(stylegan3 + weights + "generator: {ema_ramp_up: 1}").generator.ema.ramp_up, 1);
  EXPECT_EQ(parse(stylegan3 + "training: {resume_weights: ''}").generator.ema.ramp_up, 0.05);
  EXPECT_NO_THROW(parse(weights + "model: {name: dcgan}")) << "speed_kimg is of ADA";
}

TEST(Preset, RefusesThatOfAnUnrelatedModel) {
  expect_error(ExitCode::kConfig,
               "model.preset: stylegan3-t is a preset of stylegan3, but model.name is stylegan2; "
               "leave out model.name, or use a preset of docs/stylegan2.md",
               [] { parse("model: {name: stylegan2, preset: stylegan3-t}"); });
  EXPECT_EQ(parse("model: {name: biggan_deep, preset: biggan-pytorch}").model.name, "biggan_deep");
}

TEST(Preset, RefusesAnUnknownName) {
  expect_error(ExitCode::kConfig,
               ":1: model.preset: expected one of auto, biggan, biggan-deep, biggan-deep-pytorch, "
               "biggan-pytorch, cifar, config-e",
               [] { preset("config-g", 64); });
}

TEST(Precision, Bf16IsOfAllLayersAbove4x4AndFp16OfTheFourHighestResolutions) {
  const auto networks = [](const std::string& precision, const std::string& more = "") {
    auto result = networks_of(parse("model: {name: stylegan2, preset: config-f, resolution: 256" +
                                    more + "}\ntraining: {precision: " + precision + "}\n"));
    result.resolution = 256;
    return result;
  };
  const auto bf16 = networks("bf16");
  EXPECT_EQ(bf16.compute_type(4, at::kFloat), at::kFloat);
  for (int resolution = 8; resolution <= 256; resolution *= 2)
    EXPECT_EQ(bf16.compute_type(resolution, at::kFloat), at::kBFloat16) << resolution;
  const auto fp16 = networks("fp16");
  EXPECT_EQ(fp16.compute_type(16, at::kFloat), at::kFloat);
  EXPECT_EQ(fp16.compute_type(32, at::kFloat), at::kHalf);
  const auto one = networks("bf16", ", low_precision_resolutions: 1");
  EXPECT_EQ(one.compute_type(128, at::kFloat), at::kFloat);
}

TEST(Precision, Fp16IsForStylegan2) {
  expect_error(ExitCode::kConfig, "fp16 is for stylegan2, stylegan3 only",
               [] { parse("model: {name: dcgan}\ntraining: {precision: fp16}\n"); });
}

}  // namespace
}  // namespace ganscale::training
