#include <gmock/gmock.h>

#include "data/image/png_codec.h"
#include "device/gpu.h"
#include "files/atomic_file.h"
#include "support/temporary_folder.h"
#include "unit/cli/run_ganscale.h"

namespace ganscale::cli {
namespace {

using Arguments = std::vector<std::string>;

/// Returns what `ganscale generate` prints for these options and a folder without a run.
struct Answer {
  ExitCode code;
  std::string text;
};

Answer generate(const Arguments& options) {
  const TemporaryFolder folder;
  Arguments all = {"generate", "--run", folder.path()};
  all.insert(all.end(), options.begin(), options.end());
  testing::internal::CaptureStderr();
  const ExitCode code = run_ganscale(all);
  return {code, testing::internal::GetCapturedStderr()};
}

void expect_usage_error(const std::string& text, const Arguments& options) {
  const Answer answer = generate(options);
  EXPECT_EQ(answer.code, ExitCode::kUsage) << answer.text;
  EXPECT_THAT(answer.text, testing::HasSubstr(text));
}

// Valid options get as far as the run, which is missing.
TEST(GenerateVerb, AcceptsOptionsThatGoTogether) {
  for (const Arguments& options :
       {Arguments{"--out", "g.png", "--seeds", "0-3", "--grid", "2x2"}, Arguments{"--out-dir", "d"},
        Arguments{"--out", "w.y4m", "--walk", "4", "--truncation", "-0.5"},
        Arguments{"--out", "w.webp", "--walk", "4", "--grid", "2x5", "--scale", "3"},
        Arguments{"--out", "w.webp", "--walk", "4", "--labels", "data"},
        Arguments{"--out", "m.png", "--mix-rows", "1", "--mix-columns", "2", "--scale", "3"},
        Arguments{"--out", "g.png", "--truncation", "0.7", "--truncation-cutoff", "0"},
        Arguments{"--out", "g.png", "--rotate", "-30", "--translate", "-0.1,0.2"},
        Arguments{"--out", "m.png", "--mix-rows", "1", "--mix-columns", "2", "--mix-layers", "3",
                  "--labels", "1"}}) {
    const Answer answer = generate(options);
    EXPECT_EQ(answer.code, ExitCode::kData) << testing::PrintToString(options) << answer.text;
  }
}

TEST(GenerateVerb, RequiresAnAvailableGpu) {
  const Arguments file = {"--out", "g.png", "--device"};
  const auto code_on = [&file](const std::string& device) {
    Arguments options = file;
    options.push_back(device);
    return generate(options).code;
  };
  EXPECT_EQ(code_on("cpu"), ExitCode::kData);
  EXPECT_EQ(code_on("auto"), ExitCode::kData);
  EXPECT_EQ(code_on("gpu"), device::visible_gpu_count() > 0 ? ExitCode::kData : ExitCode::kDevice);
  EXPECT_EQ(code_on("tpu"), ExitCode::kUsage);
}

TEST(GenerateVerb, TakesEitherARunOrACheckpoint) {
  const TemporaryFolder folder;
  expect_usage_error("pass either --run RUN (its newest checkpoint) or --checkpoint DIR, not both",
                     {"--checkpoint", folder.path(), "--out", "g.png"});
  folder.write("config.yaml", "{}");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale({"generate", "--checkpoint", folder.path(), "--out", "g.png"}),
            ExitCode::kUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("--checkpoint: for a run's folder, use --run: "));
}

TEST(GenerateVerb, MovesImagesByTwoNumbers) {
  expect_usage_error("--translate", {"--out", "g.png", "--translate", "0.1"});
  expect_usage_error("--translate", {"--out", "g.png", "--translate", "0.1,far"});
  expect_usage_error("--rotate", {"--out", "g.png", "--rotate", "left"});
}

TEST(GenerateVerb, WalksForwards) {
  for (const std::string frames : {"-5", "0", "100001"})
    expect_usage_error("--walk: Value " + frames + " not in range",
                       {"--out", "w.y4m", "--walk", frames});
}

TEST(GenerateVerb, RequiresTheExtensionOfTheOutputFormat) {
  expect_usage_error("--out: a walk is written as .webp, .mp4, or uncompressed as .y4m: w.png",
                     {"--walk", "4", "--out", "w.png"});
  for (const std::string name : {"g.jpg", "g", "g.y4m"})
    expect_usage_error("--out: a grid is written as .png: " + name, {"--out", name});
}

TEST(GenerateVerb, RefusesOptionsWithoutEffect) {
  const auto with = [](Arguments options, const Arguments& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
  };
  expect_usage_error("--truncation-cutoff requires --truncation",
                     {"--out", "g.png", "--truncation-cutoff", "2"});
  expect_usage_error("--mix-layers requires --mix-rows", {"--out", "g.png", "--mix-layers", "2"});
  expect_usage_error("--mix-rows requires --mix-columns", {"--out", "g.png", "--mix-rows", "2"});
  const Arguments mix = {"--out", "g.png", "--mix-rows", "1", "--mix-columns", "2"};
  for (const Arguments& more :
       {Arguments{"--walk", "4"}, Arguments{"--grid", "1x1"}, Arguments{"--seeds", "1"}})
    expect_usage_error("excludes", with(mix, more));
  expect_usage_error("excludes", {"--out-dir", "d", "--grid", "1x1"});
  expect_usage_error("--labels data: with --walk and --grid each cell shows one label; list labels",
                     {"--out", "w.y4m", "--walk", "4", "--grid", "1x2", "--labels", "data"});
  expect_usage_error("--scale requires --out", {"--out-dir", "d", "--scale", "2"});
  expect_usage_error("--walk requires --out", {"--out-dir", "d", "--walk", "4"});
}

TEST(GenerateVerb, TruncatesByAFiniteNumber) {
  for (const char* psi : {"nan", "inf"})
    expect_usage_error("--truncation: expected a finite number",
                       {"--out", "g.png", "--truncation", psi});
  expect_usage_error("--truncation-cutoff",
                     {"--out", "g.png", "--truncation", "1", "--truncation-cutoff", "-3"});
}

/// Trains a small model without labels for two steps; returns the folder of the run.
std::string trained_run(
    const TemporaryFolder& folder,
    const std::string& model = "{name: dcgan, resolution: 32, channels: 0.125}") {
  const std::vector<std::uint8_t> gray(std::size_t(3) * 32 * 32, 7);
  for (const std::string name : {"1", "2", "3", "4"})
    folder.write("images/" + name + ".png", data::encode_png({3, 32, 32, gray}));
  std::string run = folder / "run";
  EXPECT_EQ(
      run_ganscale({"train", "--run", run, "--set", "data.path=" + (folder / "images").string(),
                    "--set", "model=" + model, "--set",
                    "training={batch: 4, total_kimg: 0.008, device: cpu, threads: 1}"}),
      ExitCode::kOk);
  return run;
}

TEST(GenerateVerb, RefusesAGridForTheWalkOfAModelWithoutLabels) {
  const TemporaryFolder folder;
  const std::string run = trained_run(folder);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale({"generate", "--run", run, "--device", "cpu", "--seeds", "1-2", "--walk",
                          "2", "--grid", "1x2", "--out", folder / "w.y4m"}),
            ExitCode::kUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("--grid: with --walk it has a cell for each label, but the model "
                                 "of this run is unconditional; leave the option out: 1x2"));
}

TEST(GenerateVerb, RefusesAPlaceThatCannotBeWrittenBeforeItStarts) {
  const TemporaryFolder folder;
  const std::string run = trained_run(folder);
  for (const Arguments& place : {Arguments{"--out", "/proc/none/g.png"},
                                 {"--out", "/proc/none/w.webp", "--walk", "2"},
                                 {"--out-dir", "/proc/none"}}) {
    // Labels, which this model does not have, are refused later.
    Arguments generate = {"generate", "--run", run, "--device", "cpu", "--labels", "1"};
    generate.insert(generate.end(), place.begin(), place.end());
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_ganscale(generate), ExitCode::kData);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr("can't write: /proc/none: "));
  }
}

TEST(ExportVerb, CreatesMissingFolders) {
  const TemporaryFolder folder;
  const std::string run = trained_run(folder);
  for (const char* name : {"new/safetensors/g.safetensors", "new/torchscript/g.pt"}) {
    EXPECT_EQ(run_ganscale({"export", "--run", run, "--out", folder / name}), ExitCode::kOk);
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
}

TEST(ProjectVerb, RefusesAFolderThatCannotBeWrittenBeforeItStarts) {
  const TemporaryFolder folder;
  const std::string run = trained_run(
      folder,
      "{name: stylegan2, resolution: 32, z_dim: 8, w_dim: 8, channel_base: 256, channel_max: 8}");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale({"project", "--run", run, "--device", "cpu", "--target", "missing.png",
                          "--out-dir", "/proc/none/me"}),
            ExitCode::kData);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("can't write: /proc/none/me: "));
}

// The dataset is opened after the ranks are counted.
TEST(EvaluateVerb, TakesAnyNumberOfRanks) {
  const TemporaryFolder folder;
  const std::string run = trained_run(folder);
  std::string config = files::read_file(folder / "run/config.yaml");
  const std::string any = "expected_world_size: 0";
  ASSERT_NE(config.find(any), std::string::npos);
  folder.write("run/config.yaml",
               config.replace(config.find(any), any.size(), "expected_world_size: 8"));
  const Arguments evaluate = {
      "evaluate", "--run", run, "--metrics", "fid10", "--set", "data.path=/no/such/data"};
  EXPECT_EQ(run_ganscale(evaluate), ExitCode::kData);
  Arguments eight = evaluate;
  eight.insert(eight.end(), {"--set", "comm.expected_world_size=8"});
  EXPECT_EQ(run_ganscale(eight), ExitCode::kConfig);
}

TEST(EvaluateVerb, TakesThePathOfANetworkAsItIs) {
  const TemporaryFolder folder;
  const std::string run = trained_run(folder);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale({"evaluate", "--run", run, "--metrics", "fid10", "--feature-net",
                          "/no/such #1.pt"}),
            ExitCode::kConfig);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(": /no/such #1.pt"));
}

}  // namespace
}  // namespace ganscale::cli
