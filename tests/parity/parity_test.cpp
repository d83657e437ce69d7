#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <filesystem>
#include <sstream>

#include "parity/check_fixture.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale::parity {
namespace {

constexpr const char* kOptimizers = "fixtures/optimizers.safetensors";
constexpr const char* kLargeBatch = "fixtures/optimizers_large_batch.safetensors";
constexpr const char* kBiggan = "fixtures/biggan_32.safetensors";
constexpr const char* kR3gan = "fixtures/r3gan_uncond_16.safetensors";
constexpr const char* kStylegan2Ops = "fixtures/stylegan2_ops.safetensors";
constexpr const char* kStylegan3T = "fixtures/stylegan3_t_cond_32.safetensors";
constexpr const char* kStylegan3Ops = "fixtures/stylegan3_ops.safetensors";

bool check_changed(const checkpoint::Safetensors& fixture, std::ostream& out) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "fixture.safetensors";
  checkpoint::write_safetensors(file, fixture.tensors, fixture.metadata);
  return check_fixture(file, out);
}

bool check_changed(const checkpoint::Safetensors& fixture) {
  std::ostringstream out;
  return check_changed(fixture, out);
}

/// Returns a training of one step, without the weights after all steps.
checkpoint::Safetensors first_step_of(const std::filesystem::path& trace) {
  auto fixture = checkpoint::read_safetensors(trace);
  fixture.metadata["steps"] = "1";
  std::erase_if(fixture.tensors, [](const auto& item) { return item.first.starts_with("final"); });
  return fixture;
}

bool passes(double ours, double stored, double scale) {
  Report report(1e-4);
  report.compare("gradient", at::ones({1}, at::kDouble).mul(ours),
                 at::ones({1}, at::kDouble).mul(stored), /*allowance=*/1, scale);
  return report.passed();
}

TEST(Report, ComparesRoundingErrorsWithTheRoundedValues) {
  EXPECT_FALSE(passes(1e-6, 1e-16, /*scale=*/0));
  EXPECT_TRUE(passes(1e-6, 1e-16, /*scale=*/1));
  EXPECT_FALSE(passes(1e-3, 1e-16, /*scale=*/1));
  EXPECT_FALSE(passes(1e-4, 2e-4, /*scale=*/10)) << "no rounding error";
}

void expect_optimizers(const char* fixture, std::initializer_list<std::string> names) {
  const auto file = shared_file(fixture);
  if (!file) GTEST_SKIP() << "no reference fixture: " << fixture;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const auto& name : names) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(name + " .* ok\n"));
  }
}

TEST(Parity, OptimizersMatchTheReferences) {
  expect_optimizers(kOptimizers, {"adam", "adam_beta1_0", "adamw", "radam", "sgd_momentum",
                                  "rmsprop", "adabelief", "adabelief_rectify"});
}

TEST(Parity, OptimizersOfLargeBatchesMatchTheReferences) {
  expect_optimizers(kLargeBatch, {"lamb", "lars", "lookahead_adam", "lookahead_adabelief"});
}

// Slow weights that follow after another number of updates are others.
TEST(Parity, TakesTheRoundsOfLookaheadFromTheFixture) {
  const auto file = shared_file(kLargeBatch);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kLargeBatch;
  auto fixture = checkpoint::read_safetensors(*file);
  fixture.metadata["lookahead_k"] = "5";
  EXPECT_FALSE(check_changed(fixture));
  std::erase_if(fixture.tensors, [](const auto& item) { return item.first.starts_with("look"); });
  EXPECT_TRUE(check_changed(fixture));
}

TEST(Parity, MetricsMatchTheReferences) {
  const auto file = shared_file("fixtures/metrics.safetensors");
  if (!file) GTEST_SKIP() << "no reference fixture: fixtures/metrics.safetensors";
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* name : {"fid", "kid", "is", "pr"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(name) + " .* ok\n"));
  }
}

TEST(Parity, AdaMatchesTheReference) {
  const auto file = shared_file("fixtures/ada_augment.safetensors");
  if (!file) GTEST_SKIP() << "no reference fixture: ada_augment";
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* name : {"bgc", "imgfilter", "xfrac", "hue"})
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(name) + " .* ok\n"));
}

TEST(Parity, OperatorsOfStylegan2MatchTheReference) {
  const auto file = shared_file(kStylegan2Ops);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kStylegan2Ops;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* name : {"upfirdn2d", "upsample2d", "downsample2d", "filter2d", "bias_act",
                           "conv2d_resample", "modulated_conv2d"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(name) + " .* ok\n"));
  }
}

TEST(Parity, OperatorsOfStylegan3MatchTheReference) {
  const auto file = shared_file(kStylegan3Ops);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kStylegan3Ops;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* name :
       {"filtered_lrelu", "filtered_lrelu dx", "filtered_lrelu db", "filter design", "layers",
        "synthesis input", "synthesis input gradients", "modulated convolution", "fully connected",
        "initial biases", "mapping", "synthesis layer", "synthesis layer filters",
        "synthesis layer magnitude", "blur"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(name) + " .* ok\n"));
  }
}

// One channel more in one of the layers, and a cutoff that differs in its last digits.
TEST(Parity, NoticesAnotherGeometryOfStylegan3) {
  const auto file = shared_file(kStylegan3Ops);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kStylegan3Ops;
  const auto with = [&](const std::string& name, double factor, double more) {
    auto fixture = checkpoint::read_safetensors(*file);
    fixture.tensors.at(name)[7].mul_(factor).add_(more);
    return check_changed(fixture);
  };
  EXPECT_FALSE(with("layers.t_256.out_channels", 1, 1));
  EXPECT_FALSE(with("layers.t_256.out_cutoff", 1 + 1e-14, 0));
}

TEST(Parity, RefusesAResultOfStylegan3ThatNothingComputes) {
  const auto one = at::ones({1, 1, 8, 8}, at::kDouble);
  expect_error(ExitCode::kConfig, "no operator for this tensor of the fixture: blur.sigma_0.1",
               [&] {
                 check_changed({{{"blur.x", one}, {"blur.sigma0.1", one}, {"blur.sigma_0.1", one}},
                                {{"kind", "stylegan3_ops"}}});
               });
}

void expect_trace(const std::string& name) {
  const auto file = shared_file(name);
  if (!file) GTEST_SKIP() << "no reference fixture: " << name;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* group :
       {"forward w", "forward images", "forward images one by one", "forward logits",
        "losses and scores", "pl_mean", "ema_beta", "gradients Gmain", "gradients Greg",
        "gradients Dmain", "gradients Dreg", "final G", "final D", "final G_ema"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(group) + " .* ok\n"));
  }
}

TEST(Parity, Stylegan2TrainsAsTheReference) {
  expect_trace("fixtures/stylegan2_uncond_32.safetensors");
}

TEST(Parity, ConditionalStylegan2TrainsAsTheReference) {
  expect_trace("fixtures/stylegan2_cond_16.safetensors");
}

void expect_stylegan3_trace(const std::string& name) {
  const auto file = shared_file(name);
  if (!file) GTEST_SKIP() << "no reference fixture: " << name;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* group :
       {"forward w", "forward images", "forward images, traceable", "forward images, moved",
        "forward logits", "losses", "scores", "schedules", "gradients Gmain", "gradients Dmain",
        "gradients Dreg", "final G", "final D", "final G_ema"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(group) + " .* ok\n"));
  }
}

TEST(Parity, ConditionalStylegan3TTrainsAsTheReference) { expect_stylegan3_trace(kStylegan3T); }

TEST(Parity, Stylegan3RTrainsAsTheReference) {
  expect_stylegan3_trace("fixtures/stylegan3_r_uncond_32.safetensors");
}

// Gmain and Dreg report no scores: the tool computes them.
TEST(Parity, NoticesOtherScoresOfPhasesOfStylegan3) {
  const auto file = shared_file(kStylegan3T);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kStylegan3T;
  for (const char* name : {"Gmain.stat.Loss/scores/fake", "Dreg.stat.Loss/signs/real"}) {
    auto fixture = first_step_of(*file);
    fixture.tensors.at(std::string("step0.") + name).add_(0.01);
    EXPECT_FALSE(check_changed(fixture)) << name;
  }
  EXPECT_TRUE(check_changed(first_step_of(*file)));
}

TEST(Parity, BigganTrainsAsTheReference) {
  const auto file = shared_file(kBiggan);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kBiggan;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* group :
       {"gradients D", "gradients G", "losses", "logits", "final D", "final G", "images"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(group) + " .* ok\n"));
  }
}

void expect_r3gan(const std::string& name) {
  const auto file = shared_file(name);
  if (!file) GTEST_SKIP() << "no reference fixture: " << name;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out)) << out.str();
  for (const char* group : {"forward images", "forward images, traceable", "forward logits",
                            "resampling", "losses", "penalties", "scores", "schedules",
                            "gradients D", "gradients G", "final D", "final G", "final G_ema"}) {
    EXPECT_THAT(out.str(), testing::ContainsRegex(std::string(group) + " .* ok\n"));
  }
}

TEST(Parity, R3ganTrainsAsTheReference) { expect_r3gan(kR3gan); }

TEST(Parity, ConditionalR3ganTrainsAsTheReference) {
  expect_r3gan("fixtures/r3gan_cond_32.safetensors");
}

// The i-th fake is paired with the i-th real.
TEST(Parity, NoticesOtherPairsAndScoresOfR3gan) {
  const auto file = shared_file(kR3gan);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kR3gan;
  const auto with = [&](const auto& change) {
    auto fixture = first_step_of(*file);
    change(fixture.tensors);
    return check_changed(fixture);
  };
  EXPECT_TRUE(with([](NamedTensors& /*tensors*/) {}));
  EXPECT_FALSE(with([](NamedTensors& tensors) {
    at::Tensor& reals = tensors.at("step0.G.real");
    reals = reals.roll({1}, {0});
  }));
  EXPECT_FALSE(
      with([](NamedTensors& tensors) { tensors.at("step0.G.stat.Loss/scores/fake").add_(0.01); }));
  EXPECT_FALSE(
      with([](NamedTensors& tensors) { tensors.at("step0.G.stat.Loss/signs/fake").neg_(); }));
}

// A weight of 0 at first: the penalties are measured, and D is trained without them.
TEST(Parity, TakesSchedulesOfR3ganThatRise) {
  const auto file = shared_file(kR3gan);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kR3gan;
  auto fixture = first_step_of(*file);
  fixture.metadata["lr_final"] = "0.01";
  EXPECT_TRUE(check_changed(fixture));
  fixture.metadata["gamma_base"] = "0";
  fixture.tensors["step0.gamma"] = at::zeros({}, at::kDouble);
  for (const char* final : {"0", "50"}) {
    fixture.metadata["gamma_final"] = final;
    std::ostringstream out;
    check_changed(fixture, out);
    for (const char* group : {"penalties", "schedules"}) {
      EXPECT_THAT(out.str(), testing::ContainsRegex(group + std::string("[^\n]* ok\n")));
      EXPECT_THAT(out.str(),
                  testing::Not(testing::ContainsRegex(group + std::string("[^\n]* OVER"))));
    }
  }
}

TEST(Parity, NoticesAnotherSingularVectorOfBiggan) {
  const auto file = shared_file(kBiggan);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kBiggan;
  auto fixture = checkpoint::read_safetensors(*file);
  fixture.tensors.at("init.D.blocks.0.0.conv1.u0").neg_();
  EXPECT_FALSE(check_changed(fixture));
}

void expect_low_precision(const std::string& name, const std::string& group) {
  const auto file = shared_file(name);
  if (!file) GTEST_SKIP() << "no reference fixture: " << name;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out, arithmetics_of({"fp16", "bf16"}, /*on_gpu=*/false)))
      << out.str();
  for (const char* precision : {"fp16", "bf16"})
    EXPECT_THAT(out.str(), testing::HasSubstr(std::string(" in ") + precision + "\n"));
  EXPECT_THAT(out.str(), testing::ContainsRegex(group + " .* ok\n"));
}

TEST(Parity, ComparesThePassesOfStylegan2InLowPrecision) {
  expect_low_precision("fixtures/stylegan2_cond_16.safetensors", "forward logits");
}

TEST(Parity, ComparesTheOperatorsOfStylegan2InLowPrecision) {
  expect_low_precision(kStylegan2Ops, "modulated_conv2d");
}

TEST(Parity, ReportsAPrecisionInWhichAKindIsNotComputed) {
  const auto file = shared_file(kOptimizers);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kOptimizers;
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out, arithmetics_of({"bf16"}, /*on_gpu=*/false)));
  EXPECT_EQ(out.str(), "optimizers.safetensors: optimizers in bf16: not computed so\n");
}

TEST(Parity, RefusesArithmeticThatIsNotThere) {
  expect_error(ExitCode::kConfig, "no such precision: fp8", [] { arithmetics_of({"fp8"}, false); });
  expect_error(ExitCode::kConfig, "--precision tf32 needs --device gpu",
               [] { arithmetics_of({"tf32"}, false); });
}

TEST(Parity, NoticesOneValueThatIsOff) {
  const auto file = shared_file(kOptimizers);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kOptimizers;
  auto fixture = checkpoint::read_safetensors(*file);
  auto& value = fixture.tensors.at("radam.after6.2");
  value.flatten()[3].add_(value.abs().max().mul(1e-4));
  EXPECT_FALSE(check_changed(fixture));
}

TEST(Parity, TakesAnyNumberOfTensorsAndSteps) {
  const auto file = shared_file(kOptimizers);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kOptimizers;
  auto fixture = checkpoint::read_safetensors(*file);
  std::erase_if(fixture.tensors, [](const auto& item) {
    const std::string& name = item.first;
    return name.ends_with(".1") || name.starts_with("grad.step11") ||
           name.find(".after12") != std::string::npos;
  });
  EXPECT_TRUE(check_changed(fixture));
}

TEST(Parity, ReadsNumbersAsPythonWritesThem) {
  const auto one = at::ones({1, 1, 1, 1}, at::kDouble);
  EXPECT_TRUE(check_changed({{{"upfirdn2d.x", one},
                              {"filter_1331", one[0][0]},
                              {"bias_act.b", one[0][0][0]},
                              {"upfirdn2d.up1.down1.pad0_0_0_0.gain2.5e-05.flip0", one * 2.5e-5},
                              {"bias_act.linear.gain0.5", one},
                              {"bias_act.linear.gain1e+20.clamp0.25", one * 0.25}},
                             {{"kind", "stylegan2_ops"}}}));
}

// Such a fixture has no noise for path lengths, and their mean stays 0.
TEST(Parity, SkipsARegularizationWithoutWeight) {
  constexpr const char* kConditional = "fixtures/stylegan2_cond_16.safetensors";
  const auto file = shared_file(kConditional);
  if (!file) GTEST_SKIP() << "no reference fixture: " << kConditional;
  auto fixture = checkpoint::read_safetensors(*file);
  fixture.metadata["pl_weight"] = fixture.metadata["r1_gamma"] = "0";
  fixture.metadata["steps"] = "1";
  fixture.tensors["step0.pl_mean"] = at::zeros({}, at::kDouble);
  // What comes after the regularization would be another.
  std::erase_if(fixture.tensors, [](const auto& item) {
    const std::string& name = item.first;
    return name.starts_with("final.") || name.starts_with("step0.Greg.") ||
           name.starts_with("step0.Dreg.") || name.starts_with("step0.Dmain.stat.") ||
           name.starts_with("step0.Dmain.grad.");
  });
  EXPECT_TRUE(check_changed(fixture));
}

TEST(Parity, RefusesWhatItCannotCheck) {
  expect_error(ExitCode::kConfig, "fixtures of this kind are not supported: weather",
               [] { check_changed({{}, {{"kind", "weather"}}}); });
  expect_error(ExitCode::kData, "its metadata has no kind", [] { check_changed({}); });
  expect_error(ExitCode::kData, "the fixture holds no case",
               [] { check_changed({{}, {{"kind", "optimizers"}}}); });
  expect_error(ExitCode::kData, "no number in the fixture's metadata: style_mixing: much", [] {
    check_changed({{}, {{"kind", "stylegan2_trace"}, {"style_mixing", "much"}}});
  });
}

}  // namespace
}  // namespace ganscale::parity
