#include "cli/images/image_sampler.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "models/label_bundle.h"
#include "support/expect_error.h"
#include "unit/models/read_model.h"

namespace ganscale::cli {
namespace {

training::TrainedGenerator trained(std::vector<double> label_probabilities) {
  training::TrainedGenerator result;
  result.config.model = models::read_model("name: conditional_dcgan", 4);
  result.generator = models::build_generator(result.config.model, 1, nullptr);
  result.checkpoint = "runs/r1/checkpoints/kimg-000001";
  result.label_probabilities = std::move(label_probabilities);
  return result;
}

std::vector<std::int64_t> seeds(std::int64_t count) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// The deviation of a share of 4000 draws is at most sqrt(0.25 / 4000) = 0.008.
TEST(LabelsOfTheData, HaveTheFrequenciesOfTheData) {
  const auto generator = trained({0, 0.25, 0, 0.75});
  const auto labels = ImageSampler(generator, {}).specify(seeds(4000), "data").labels;
  ASSERT_EQ(labels.size(), 4000);
  EXPECT_EQ(std::ranges::count(labels, 0) + std::ranges::count(labels, 2), 0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(labels, 1)) / 4000, 0.25, 0.03);
}

TEST(LabelsOfTheData, DependOnTheSeedOnly) {
  const auto generator = trained({0.25, 0.25, 0.25, 0.25});
  const ImageSampler sampler(generator, {});
  const auto all = sampler.specify(seeds(40), "data").labels;
  EXPECT_EQ(sampler.specify({31, 7}, "data").labels, (std::vector{all[31], all[7]}));
}

TEST(LabelsOfTheData, AreRefusedIfUnknown) {
  const auto generator = trained({});
  const ImageSampler sampler(generator, {});
  expect_error(ExitCode::kUsage, "has no label frequencies",
               [&] { sampler.specify(seeds(4), "data"); });
  EXPECT_EQ(sampler.specify(seeds(5), "").labels, (std::vector<std::int64_t>{0, 1, 2, 3, 0}));
}

TEST(LabelsByName, AreTheNamesOfTheData) {
  auto generator = trained({});
  generator.label_names = {"cat", "dog", "7", "horse"};
  const ImageSampler sampler(generator, {});
  EXPECT_EQ(sampler.specify(seeds(4), "horse,0-1,dog").labels,
            (std::vector<std::int64_t>{3, 0, 1, 1}));
  expect_error(ExitCode::kUsage, "--labels: no label has this name: hrse (did you mean horse?)",
               [&] { sampler.specify(seeds(1), "hrse"); });
  expect_error(ExitCode::kUsage, "the labels of this run are 0-3: 7",  // numbers are not names
               [&] { sampler.specify(seeds(1), "7"); });
}

TEST(LabelsByName, AreNeverDigits) {
  auto generator = trained({});
  const auto logged_for = [&](const std::string& text, const std::vector<std::int64_t>& labels) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(ImageSampler(generator, {}).specify(seeds(1), text).labels, labels);
    return testing::internal::GetCapturedStderr();
  };
  generator.label_names = {"cat", "02", "2", "1"};
  EXPECT_THAT(logged_for("1", {1}), testing::HasSubstr("the label of this name has another one"));
  EXPECT_EQ(logged_for("2", {2}), "");
  EXPECT_EQ(logged_for("3", {3}), "");
  EXPECT_THAT(logged_for("02", {2}), testing::HasSubstr("number=1"));
}

TEST(LabelsByName, AreRefusedIfTheDataHasNoNames) {
  const auto generator = trained({});
  const ImageSampler sampler(generator, {});
  expect_error(ExitCode::kUsage, "the labels of this run have no names",
               [&] { sampler.specify(seeds(1), "cat"); });
  expect_error(ExitCode::kUsage, "--labels: ", [&] { sampler.specify(seeds(1), "3-1"); });
  expect_error(ExitCode::kUsage, "--labels: ", [&] { sampler.specify(seeds(1), "-2"); });
}

/// A bundle of the label 3 of five.
training::TrainedGenerator style_bundle(const std::string& model) {
  training::TrainedGenerator result;
  result.config.model = models::read_model(model);
  const std::map<std::int64_t, std::shared_ptr<models::Generator>> generators = {
      {3, models::build_generator(result.config.model, 1, nullptr)}};
  result.generator = std::make_shared<models::LabelBundle>(generators, 5);
  return result;
}

TEST(BundleOfLabels, NamesTheRunsThatHaveItsStyles) {
  const std::string advice =
      ": a bundle of labels has no styles; pass the run of one label: RUN/labels/label-0003";
  const auto bundle = style_bundle(
      "{name: stylegan2, resolution: 16, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8}");
  expect_error(ExitCode::kUsage, "--truncation" + advice,
               [&] { ImageSampler(bundle, models::Truncation{.psi = 0.5}); });
  const ImageSampler sampler(bundle, {});
  expect_error(ExitCode::kUsage, "--mix-rows" + advice,
               [&] { sampler.require_styles("--mix-rows"); });
  expect_error(ExitCode::kUsage, "this model can't turn and move its images: stylegan2",
               [&] { sampler.move_images({.degrees = 90}); });
  const auto moved = style_bundle(
      "{name: stylegan3, resolution: 16, z_dim: 8, w_dim: 8, channel_base: 256, channel_max: 16, "
      "layers: 4, margin: 4}");
  expect_error(ExitCode::kUsage, "--rotate, --translate" + advice,
               [&] { ImageSampler(moved, {}).move_images({.degrees = 90}); });
  const auto plain = style_bundle("{name: dcgan, channels: 0.125}");
  expect_error(ExitCode::kUsage, "--mix-rows: this model has no styles: dcgan",
               [&] { ImageSampler(plain, {}).require_styles("--mix-rows"); });
}

training::TrainedGenerator biggan() {
  training::TrainedGenerator result;
  result.config.model = models::read_model("{name: biggan, generator_channels: 1}", 4);
  result.generator = models::build_generator(result.config.model, 1, nullptr);
  return result;
}

TEST(TruncatedLatents, StayWithinTheThresholdAndBelongToTheSeed) {
  const auto generator = biggan();
  const ImageSampler sampler(generator, models::Truncation{.psi = 0.5});
  const auto z = sampler.latents({5, 6, 9});
  EXPECT_LE(z.abs().max().item<double>(), 0.5);
  EXPECT_TRUE(at::equal(sampler.latents({9})[0], z[2]));
  const auto usual = ImageSampler(generator, {}).latents({9})[0];
  EXPECT_TRUE(at::where(usual.abs() <= 0.5, usual == z[2], usual != z[2]).all().item<bool>());
}

TEST(TruncatedLatents, AreRefusedForModelsWithoutThem) {
  const auto plain = trained({});
  expect_error(ExitCode::kUsage, "--truncation: this model has no truncation: conditional_dcgan",
               [&] { ImageSampler(plain, models::Truncation{.psi = 0.5}); });
  const auto generator = biggan();
  expect_error(ExitCode::kUsage, "--truncation: the threshold of latents must be positive",
               [&] { ImageSampler(generator, models::Truncation{.psi = 0}); });
  expect_error(ExitCode::kUsage, "--truncation-cutoff: this model has no styles",
               [&] { ImageSampler(generator, models::Truncation{.psi = 1, .cutoff = 3}); });
}

}  // namespace
}  // namespace ganscale::cli
