#include "training/bench/count_step.h"

#include <algorithm>
#include <map>

#include "cost/operation.h"
#include "optim/rules/optimizer_table.h"
#include "support/expect_error.h"
#include "support/thorough.h"
#include "training/bench/count_report.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

std::vector<std::string> names_of(const std::vector<CountedPhase>& phases) {
  std::vector<std::string> names;
  for (const CountedPhase& phase : phases) names.push_back(phase.name);
  return names;
}

const CountedPhase& phase_of(const std::vector<CountedPhase>& phases, const std::string& name) {
  return *std::ranges::find(phases, name, &CountedPhase::name);
}

cost::Work gradients_of(const std::vector<CountedPhase>& phases, const std::string& name) {
  return cost::work_of(phase_of(phases, name).gradients);
}

constexpr const char* kSmall =
    "model: {name: stylegan2, resolution: 32, z_dim: 8, w_dim: 8, channel_base: 256, "
    "channel_max: 16, mapping_layers: 2}\n"
    "generator: {path_length_weight: 2, path_length_interval: 4}\n"
    "discriminator: {r1_gamma: 1, r1_interval: 16}\n"
    "training: {batch: 8}\n";

/// Each family, with what its phases may do.
class CountStep : public testing::TestWithParam<const char*> {};

TEST_P(CountStep, RunsAllPhasesWithoutADevice) {
  const auto phases = count_step(parse(GetParam()), /*ranks=*/2);
  EXPECT_EQ(phases.front().name, "input");
  EXPECT_EQ(phases.back().name, "average");
  for (const CountedPhase& phase : phases) {
    EXPECT_GT(phase.update.size(), 0) << phase.name;
    if (&phase == &phases.front() || &phase == &phases.back()) continue;
    const cost::Work work = cost::work_of(phase.gradients);
    EXPECT_GT(work.flops(), 0) << phase.name;
    EXPECT_GT(work.all_reduce_bytes, 0) << phase.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, CountStep,
    testing::Values("training: {batch: 8}\n", kSmall,
                    "model: {name: stylegan2, channel_max: 8}\ntraining: {batch: 8}\n"
                    "augment: {name: ada, p: 1}\n",
                    "model: {name: stylegan2, channel_max: 8}\ntraining: {batch: 8}\n"
                    "augment: {name: diffaugment}\n",
                    "model: {name: stylegan3, channel_max: 8}\ntraining: {batch: 8}\n"
                    "augment: {blur_sigma: 2, blur_fade_kimg: 1}\n",
                    "model: {name: r3gan, channel_max: 8, group_channels: 8}\n"
                    "training: {batch: 8}\nloss: {name: relativistic}\n"
                    "discriminator: {r1_gamma: 1, r2_gamma: 1, penalty_phase: main, "
                    "gamma_schedule: {name: cosine, final_fraction: 0.1, kimg: 1}}\n",
                    "model: {name: sngan}\ntraining: {batch: 8}\n"));

TEST(CountStep, HasThePhasesOfTheRun) {
  const auto phases = count_step(parse(kSmall), 1);
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"input", "Gmain", "Greg", "Dmain", "Dreg", "average"}));
  EXPECT_EQ(phase_of(phases, "Dreg").interval, 16);
}

TEST(CountStep, CountsTheSameFlopsPerImageOnAnyNumberOfRanks) {
  const auto one = gradients_of(count_step(parse(kSmall), 1), "Dmain");
  const auto half = gradients_of(count_step(parse(kSmall), 2), "Dmain");
  EXPECT_EQ(one.convolution_flops, 2 * half.convolution_flops);
  EXPECT_LT(half.memory_bytes, one.memory_bytes);
}

TEST(CountStep, TellsWhatPartOfDmainMakesFakes) {
  const auto phases = count_step(parse(kSmall), 1);
  for (const CountedPhase& phase : phases) {
    EXPECT_EQ(phase.fakes.empty(), phase.name != "Dmain") << phase.name;
  }
  const cost::Work fakes = cost::work_of(phase_of(phases, "Dmain").fakes);
  EXPECT_GT(fakes.convolution_flops, 0);
  EXPECT_EQ(fakes.weight_gradient_flops, 0);
  EXPECT_LT(fakes.flops(), gradients_of(phases, "Dmain").flops());
  EXPECT_LT(fakes.launches, gradients_of(phases, "Dmain").launches);
}

TEST(CountStep, SavesAPassThroughTheGeneratorIfItsFakesAreShared) {
  const auto phases = count_step(parse(kSmall), 1);
  const auto shared = count_step(parse(std::string(kSmall) + "loss: {fakes: shared}\n"), 1);
  EXPECT_TRUE(phase_of(shared, "Dmain").fakes.empty());
  EXPECT_EQ(gradients_of(shared, "Dmain").convolution_flops,
            gradients_of(phases, "Dmain").convolution_flops -
                cost::work_of(phase_of(phases, "Dmain").fakes).convolution_flops);
}

TEST(CountStep, NeverHasTheHostWait) {
  for (const CountedPhase& phase : count_step(parse(kSmall), 1)) {
    EXPECT_EQ(cost::work_of(phase.gradients).host_reads, 0) << phase.name;
    EXPECT_EQ(cost::work_of(phase.update).host_reads, 0) << phase.name;
  }
}

TEST(CountStep, CountsHostReadsOfAnOptimizer) {
  const auto phases =
      count_step(parse("training: {batch: 8}\ngenerator: {optimizer: {name: rmsprop}}\n"), 1);
  EXPECT_EQ(cost::work_of(phase_of(phases, "Gmain").update).host_reads, 1);
  EXPECT_EQ(cost::work_of(phase_of(phases, "Dmain").update).host_reads, 0);
}

TEST(CountStep, CountsTheUpdateOfEveryOptimizer) {
  std::vector<std::string> optimizers = {"{name: lookahead, inner: {name: sgd}}"};
  for (const auto& kind : optim::optimizer_kinds())
    optimizers.push_back("{name: " + std::string(kind.name) + "}");
  for (const std::string& optimizer : optimizers) {
    const auto phases =
        count_step(parse("training: {batch: 8}\ngenerator: {optimizer: " + optimizer + "}\n"), 1);
    EXPECT_GT(cost::work_of(phase_of(phases, "Gmain").update).memory_bytes, 0) << optimizer;
  }
}

TEST(CountStep, CountsThePassAndTheMemoryOfEachOtherAverage) {
  const auto count = [](const std::string& others) {
    return count_step(
        parse("training: {batch: 8}\ngenerator: {other_ema_kimg: [" + others + "]}\n"), 1);
  };
  const auto none = count("");
  const auto one = count("2");
  const auto two = count("2, 50");
  const auto bytes = [](const std::vector<CountedPhase>& phases) {
    return cost::work_of(phase_of(phases, "average").update).memory_bytes;
  };
  const auto peak = [](const std::vector<CountedPhase>& phases) {
    return phase_of(phases, "Gmain").peak_bytes;
  };
  EXPECT_GT(bytes(one), bytes(none));
  EXPECT_EQ(bytes(two) - bytes(one), bytes(one) - bytes(none));
  EXPECT_GT(peak(one), peak(none));
  EXPECT_EQ(peak(two) - peak(one), peak(one) - peak(none));
}

TEST(CountStep, ComputesInTheTypesOfTheRun) {
  const auto phases =
      count_step(parse("model: {name: stylegan2, channel_max: 8, low_precision_resolutions: 1}\n"
                       "training: {batch: 8, precision: fp16}\n"),
                 1);
  std::map<cost::Number, int> convolutions;
  for (const cost::Operation& operation : phase_of(phases, "Gmain").gradients) {
    if (operation.kind == cost::Kind::kConvolution) ++convolutions[operation.number];
  }
  EXPECT_EQ(convolutions.size(), 2);
  EXPECT_GT(convolutions[cost::Number::kLowPrecision], 0);
  EXPECT_GT(convolutions[cost::Number::kFloat32], 0);
}

// Behind 16 channels, one of standard deviations is computed with as eight are.
TEST(CountStep, TakesTheChannelsOfTheLastConvolutionByEights) {
  const auto flops = [](const std::string& features) {
    const auto phases =
        count_step(parse("model: {name: stylegan2, channel_max: 16, mbstd_features: " + features +
                         "}\ntraining: {batch: 8, precision: tf32}\n"),
                   1);
    return gradients_of(phases, "Dmain").flops();
  };
  EXPECT_EQ(flops("1"), flops("8"));
  EXPECT_LT(flops("0"), flops("1"));
}

// A step of D prepares G's once, which the next step of G uses; and so on.
TEST(CountStep, PreparesWeightsOncePerUpdate) {
  const auto phases = count_step(parse("model: {name: stylegan2, channel_max: 8}\n"
                                       "generator: {path_length_weight: 2}\n"
                                       "discriminator: {r1_gamma: 1}\n"
                                       "training: {batch: 8, precision: bf16}\n"),
                                 1);
  const auto energies = [&](const std::string& phase) {
    return std::ranges::count(phase_of(phases, phase).gradients, "ganscale::weight_energies",
                              &cost::Operation::name);
  };
  EXPECT_EQ(energies("Gmain"), 0);
  EXPECT_EQ(energies("Greg"), 2);  // of weights in bf16 and in float32
  EXPECT_EQ(energies("Dmain"), 2);
  const auto copies = [&](const std::string& phase) {
    return std::ranges::count(phase_of(phases, phase).gradients, "ganscale::scaled_copies",
                              &cost::Operation::name);
  };
  // G has copies of the mapping's and the affine layers' weights, and convolutions' in two
  // types; D has two types. Each has a gradient.
  EXPECT_EQ(copies("Gmain"), 2 + 4);
  EXPECT_EQ(copies("Greg"), 4 + 4);
  EXPECT_EQ(copies("Dmain"), 4 + 2);
  EXPECT_EQ(copies("Dreg"), 2 + 2);
}

// The model of Karras et al. 2020, arXiv:1912.04958, configuration F, at 256 x 256 takes 1,219
// GFLOP an image by a count of its layers, with the passes of second order as six forward passes.
TEST(CountStep, OfConfigFAgreesWithACountOfItsLayers) {
  const auto config =
      parse("model: {name: stylegan2, preset: config-f, resolution: 256}\ntraining: {batch: 32}\n");
  const auto phases = count_step(config, 1);
  const auto report = report_counts(phases, config, 1, cost::device_of_name("H200"));
  EXPECT_NEAR(report.gflop_per_image(), 1219, 0.05 * 1219);
}

// Before its operators were fused it took 2,400 launches and 157 GB outside convolutions.
TEST(CountStep, OfConfigFStaysWithinItsBudgets) {
  const auto config = parse(
      "model: {name: stylegan2, preset: config-f, resolution: 256}\n"
      "training: {batch: 32, precision: bf16}\n");
  const auto phases = count_step(config, 1);
  const auto report = report_counts(phases, config, 1, cost::device_of_name("H200"));
  EXPECT_LE(report.step.work.launches, 950);
  EXPECT_LE(report.step.work.memory_bytes, 100e9);
}

/// Counts the gradients of a phase of BigGAN.
cost::Work work_of_biggan(const std::string& phase, const std::string& training) {
  RunConfig config = parse(
      "model: {name: biggan, generator_channels: 16, discriminator_channels: 16}\n"
      "loss: {name: hinge}\ntraining: {batch: 8, " +
      training + "}\n");
  config.model.label_count = 10;
  return gradients_of(count_step(config, 1), phase);
}

TEST(CountStep, OfBigganInBf16MovesFewerBytesThanInTf32) {
  for (const char* phase : {"Gmain", "Dmain"}) {
    EXPECT_LT(work_of_biggan(phase, "precision: bf16").memory_bytes,
              0.75 * work_of_biggan(phase, "precision: tf32").memory_bytes)
        << phase;
  }
}

TEST(CountStep, OfAPlainLayoutPadsNothing) {
  EXPECT_LT(work_of_biggan("Dmain", "precision: tf32, layout: plain").flops(),
            work_of_biggan("Dmain", "precision: tf32").flops());
}

TEST(CountStep, ShowsThatRecomputedBlocksNeedLessMemory) {
  const auto peak = [](const char* recomputes) {
    RunConfig config = parse(
        "model: {name: biggan, resolution: 64, generator_channels: 4, discriminator_channels: 4, "
        "attention: [], recompute_blocks: " +
        std::string(recomputes) + "}\nloss: {name: hinge}\ntraining: {batch: 64}\n");
    config.model.label_count = 10;
    return phase_of(count_step(config, 1), "Gmain").peak_bytes;
  };
  EXPECT_LT(peak("true"), 0.9 * peak("false"));
}

TEST(CountStep, RefusesWhatItCannotCount) {
  expect_error(ExitCode::kConfig, "must be divisible by the number of ranks: 8 on 3",
               [] { count_step(parse(kSmall), 3); });
}

TEST(CountStep, OfEveryModelCountsLessInBf16) {
  for (const char* model : {"dcgan", "wgan_resnet", "sngan", "r3gan", "stylegan3"}) {
    const auto bytes = [&](const std::string& precision) {
      const auto config = parse("model: {name: " + std::string(model) +
                                "}\ntraining: {batch: 64, precision: " + precision + "}\n");
      return gradients_of(count_step(config, 1), "Dmain").memory_bytes;
    };
    EXPECT_LT(bytes("bf16"), 0.8 * bytes("tf32")) << model;
  }
}

// The command of docs/performance.md, which reports 77 and 61 GB.
TEST(CountStep, OfBiggan1024FitsIntoTheMemoryOfAnH200) {
  if (!is_thorough()) GTEST_SKIP() << "half a minute: make check-long runs it";
  constexpr double kH200Bytes = 141e9;
  const auto peak = [](const char* recomputes) {
    RunConfig config = parse(
        "model: {preset: biggan, resolution: 1024, generator_channels: 64, "
        "discriminator_channels: 64, recompute_blocks: " +
        std::string(recomputes) + "}\ntraining: {precision: bf16, batch: 2048, accumulate: 1}\n");
    config.model.label_count = 1000;
    double highest = 0;
    for (const CountedPhase& phase : count_step(config, /*ranks=*/64)) {
      highest = std::max(highest, phase.peak_bytes);
    }
    return highest;
  };
  EXPECT_LT(peak("false"), 0.6 * kH200Bytes);
  EXPECT_LT(peak("true"), 0.5 * kH200Bytes);
}

TEST(CountReport, OfAStepIsTheMeanOverItsPhases) {
  RunConfig config;
  config.training.batch = 4;
  config.model.resolution = {64, 128};
  const cost::Operation convolution{.kind = cost::Kind::kConvolution,
                                    .number = cost::Number::kLowPrecision,
                                    .flops = 790e9,
                                    .launches = 0};
  const std::vector<CountedPhase> phases = {
      {.name = "Dmain", .gradients = {convolution}},
      {.name = "Dreg", .interval = 2, .gradients = {convolution, convolution}}};
  const auto& device = cost::device_of_name("H200");
  const auto report = report_counts(phases, config, /*ranks=*/2, device);
  const double share = device.reached.low_precision;
  EXPECT_DOUBLE_EQ(report.step.work.convolution_flops, 2 * 790e9);
  EXPECT_DOUBLE_EQ(report.gflop_per_image(), 790);  // 2 images a rank
  EXPECT_DOUBLE_EQ(report.step.time.convolutions, 2 * 1e-3 / share);
  EXPECT_NEAR(report.seconds_per_kimg(), 0.5 / share, 0.01);
  EXPECT_EQ(to_json(report)["phases"]["Dreg"]["interval"], 2);
  EXPECT_EQ(to_json(report)["resolution"].dump(), "[64,128]");
  EXPECT_EQ(to_json(report)["step"]["seconds"]["convolutions"], report.step.time.convolutions);
  EXPECT_NE(to_table(report).find("790 GFLOP an image"), std::string::npos);
  EXPECT_NE(to_table(report).find("; images of 64x128\n"), std::string::npos);
}

}  // namespace
}  // namespace ganscale::training
