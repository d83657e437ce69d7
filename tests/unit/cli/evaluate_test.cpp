#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "data/image/png_codec.h"
#include "files/atomic_file.h"
#include "support/temporary_folder.h"
#include "unit/cli/run_ganscale.h"
#include "unit/training/write_feature_net.h"

namespace ganscale::cli {
namespace {

constexpr const char* kDcgan = "dcgan, channels: 0.125";

/// Runs of small models on a few images, and their evaluations.
class Evaluations : public testing::Test {
 protected:
  Evaluations() { training::write_feature_net(folder_ / "net.pt"); }

  std::string path(const std::string& name) const { return folder_ / name; }

  /// Writes a flat image of 32 x 32 pixels.
  void write_image(const std::string& name, int channels = 3) const {
    const std::vector<std::uint8_t> gray(std::size_t(channels) * 32 * 32, 7);
    folder_.write(name, data::encode_png({channels, 32, 32, gray}));
  }

  void write_images(const std::string& data, int count) const {
    for (int i = 0; i < count; ++i) write_image(data + "/" + std::to_string(i) + ".png");
  }

  /// Trains for two steps on images; returns the run. model: its name and what makes it small.
  std::string train(const std::string& data, const std::string& model,
                    const std::string& evaluate) const {
    std::string run = path("run");
    EXPECT_EQ(run_ganscale({"train", "--run", run, "--set", "data.path=" + path(data), "--set",
                            "model={name: " + model + ", resolution: 32}", "--set",
                            "training={batch: 4, total_kimg: 0.008, device: cpu, threads: 1}",
                            "--set", "evaluate={" + evaluate + "cache: " + path("cache") + "}"}),
              ExitCode::kOk);
    return run;
  }

  /// Trains a model that is evaluated at its end.
  std::string train_and_evaluate() const {
    return train("images", kDcgan, "metrics: [fid8], feature_net: " + path("net.pt") + ", ");
  }

  /// Evaluates a run; returns what it logs.
  std::string evaluate(const std::string& run, const std::vector<std::string>& options,
                       ExitCode code = ExitCode::kOk) const {
    std::vector<std::string> arguments = {"evaluate", "--run", run};
    arguments.insert(arguments.end(), options.begin(), options.end());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_ganscale(arguments), code);
    testing::internal::GetCapturedStdout();
    return testing::internal::GetCapturedStderr();
  }

  /// Returns how many evaluations a run has.
  std::ptrdiff_t count(const std::string& run) const {
    if (!std::filesystem::exists(run + "/metrics.jsonl")) return 0;
    return std::ranges::count(files::read_file(run + "/metrics.jsonl"), '\n');
  }

  /// Expects that an evaluation is not added to the run, because of this key.
  void expect_left_out(const std::string& run, const std::vector<std::string>& options,
                       const std::string& key) const {
    const auto before = count(run);
    const std::string log = evaluate(run, options);
    EXPECT_THAT(log,
                testing::HasSubstr("Not added to metrics.jsonl: measured with other settings"));
    EXPECT_THAT(log, testing::HasSubstr(key));
    EXPECT_EQ(count(run), before) << key;
  }

  /// Expects that an evaluation is added to the run.
  void expect_added(const std::string& run, const std::vector<std::string>& options) const {
    const auto before = count(run);
    const std::string log = evaluate(run, options);
    EXPECT_EQ(count(run), before + 1) << log;
  }

  const TemporaryFolder folder_;
};

TEST_F(Evaluations, AreAddedToTheRunIfItMeasuresLikeThat) {
  write_images("images", 4);
  const std::string run = train_and_evaluate();
  ASSERT_EQ(count(run), 1);
  expect_added(run, {"--set", "evaluate.batch=2", "--set", "data.reader_threads=1"});
  expect_left_out(run, {"--set", "training.seed=7"}, "training.seed: 1000 -> 7");
  expect_left_out(run, {"--set", "evaluate.covariance=n"}, "evaluate.covariance: n_minus_1 -> n");
  expect_left_out(run, {"--set", "data.fit=resize"}, "data.fit: refuse -> resize");
  training::write_feature_net(folder_ / "other.pt", "  return y * y\n");
  expect_left_out(run, {"--metrics", "pr8k1", "--feature-net", path("other.pt")},
                  "evaluate.feature_net: " + path("net.pt"));
  std::filesystem::copy_file(folder_ / "net.pt", folder_ / "copy.pt");
  expect_added(run, {"--feature-net", path("copy.pt")});
}

TEST_F(Evaluations, AreAddedToTheRunIfItsDataHaveMoved) {
  write_images("images", 4);
  write_images("others", 4);
  write_images("fewer", 3);
  const std::string run = train_and_evaluate();
  const auto on = [this](const std::string& data) {
    return std::vector<std::string>{"--set", "data.path=" + path(data)};
  };
  expect_added(run, on("fewer/../images/"));
  expect_left_out(run, on("others"), "data.path: " + path("images"));
  std::filesystem::rename(folder_ / "images", folder_ / "moved");
  expect_added(run, on("moved"));
  expect_left_out(run, on("fewer"), "data.path: " + path("images"));
}

TEST_F(Evaluations, AreAddedToARunWithoutItsOwn) {
  write_images("images", 4);
  const std::string run = train("images", kDcgan, "");
  ASSERT_EQ(count(run), 0);
  expect_added(run, {"--metrics", "fid8", "--feature-net", path("net.pt")});
  expect_left_out(
      run, {"--metrics", "fid8", "--feature-net", path("net.pt"), "--set", "training.seed=7"},
      "training.seed");
}

TEST_F(Evaluations, OfOtherSamplesThanTheRunsAreNotAddedToIt) {
  for (const char* name : {"pets/cat/1.png", "pets/cat/2.png", "pets/dog/1.png", "pets/dog/2.png"})
    write_image(name);
  const std::string run =
      train("pets", "biggan, generator_channels: 2, discriminator_channels: 2", "");
  const auto measured_with = [this](const std::vector<std::string>& sampling) {
    std::vector<std::string> options = {"--metrics", "fid8", "--feature-net", path("net.pt")};
    options.insert(options.end(), sampling.begin(), sampling.end());
    return options;
  };
  expect_left_out(run, measured_with({"--truncation", "0.5"}), "--truncation 0.5");
  expect_left_out(run, measured_with({"--standing-statistics", "2"}), "--standing-statistics 2");
  expect_added(run, measured_with({}));
  EXPECT_THAT(
      evaluate(run,
               {"--metrics", "ppl20_zend", "--perceptual-net", "none.pt", "--truncation", "0.5"},
               ExitCode::kUsage),
      testing::HasSubstr("--truncation: a path through latents does not truncate them; "
                         "measure without ppl20_zend"));
}

TEST_F(Evaluations, AreRefusedForSamplesThatTheModelDoesNotMake) {
  write_images("images", 4);
  const std::string run = train_and_evaluate();
  EXPECT_THAT(evaluate(run, {"--truncation", "0.5"}, ExitCode::kUsage),
              testing::HasSubstr("--truncation: this model has no truncation: dcgan"));
  EXPECT_THAT(evaluate(run, {"--truncation", "nan"}, ExitCode::kUsage),
              testing::HasSubstr("--truncation: expected a finite number"));
  expect_left_out(run, {"--standing-statistics", "1"}, "--standing-statistics 1");
}

TEST_F(Evaluations, AreRefusedOnDataThatTheGeneratorDoesNotMake) {
  for (const char* name : {"pets/cat/1.png", "pets/cat/2.png", "pets/dog/1.png", "pets/dog/2.png",
                           "zoo/ape/1.png", "zoo/cat/1.png", "zoo/dog/1.png"})
    write_image(name);
  for (const char* name : {"gray/cat/1.png", "gray/dog/1.png"}) write_image(name, 1);
  const std::string run = train("pets", "conditional_" + std::string(kDcgan), "");
  const auto refused_on = [&](const std::string& data) {
    return evaluate(
        run,
        {"--metrics", "fid8", "--feature-net", path("net.pt"), "--set", "data.path=" + path(data)},
        ExitCode::kConfig);
  };
  EXPECT_THAT(refused_on("zoo"),
              testing::HasSubstr("data.path: " + path("zoo") +
                                 ": label 0 is ape in the dataset, but cat in the run"));
  EXPECT_THAT(refused_on("gray"),
              testing::HasSubstr("the generator makes images of 3 channels, the dataset has 1"));
}

TEST_F(Evaluations, AreRefusedBeforeTheyStartIfTheirFileCannotBeWritten) {
  write_images("images", 4);
  const std::string run = train("images", kDcgan, "");
  EXPECT_THAT(evaluate(run,
                       {"--metrics", "fid8", "--out", "/proc/none/out.json", "--set",
                        "data.path=/no/such/data"},
                       ExitCode::kData),
              testing::HasSubstr("can't write: /proc/none: "));
}

}  // namespace
}  // namespace ganscale::cli
