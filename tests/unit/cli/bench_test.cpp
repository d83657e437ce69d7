#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cost/device_table.h"
#include "unit/cli/run_ganscale.h"

namespace ganscale::cli {
namespace {

using Arguments = std::vector<std::string>;

/// Counts a small DC-GAN; returns what is printed.
std::string bench_output(const Arguments& more) {
  Arguments arguments = {"bench", "--count", "--set", "training.batch=4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  testing::internal::CaptureStdout();
  const ExitCode code = run_ganscale(arguments);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, ExitCode::kOk);
  return text;
}

TEST(BenchVerb, PrintsATableOfPhases) {
  const std::string table = bench_output({"--device", "A100"});
  EXPECT_THAT(table, testing::HasSubstr("Gmain"));
  EXPECT_THAT(table, testing::HasSubstr("Dmain"));
  EXPECT_THAT(table, testing::HasSubstr("s/kimg on 1 x A100"));
}

TEST(BenchVerb, PrintsJson) {
  const auto json = nlohmann::json::parse(bench_output({"--json", "--ranks", "2"}));
  EXPECT_EQ(json["device"], "H200");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_GT(json["step"]["launches"], 0);
  EXPECT_GT(json["phases"]["Dmain"]["flops"]["weight_gradient"], 0);
  EXPECT_GT(json["step"]["all_reduce_bytes"], 0);
}

TEST(BenchVerb, AssumesLabelsForAModelThatNeedsThem) {
  testing::internal::CaptureStderr();
  bench_output({"--set", "model.name=conditional_dcgan"});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("labels=10"));
  testing::internal::CaptureStderr();
  bench_output({"--set", "model.name=conditional_dcgan", "--labels", "3"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(BenchVerb, MeasuresStepsOnRandomImages) {
  testing::internal::CaptureStdout();
  const ExitCode code = run_ganscale({"bench", "--json", "--channels", "1", "--set",
                                      "training.batch=4", "--set", "measure.warmup_steps=1",
                                      "--set", "measure.steps=2", "--set", "training.threads=1"});
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(code, ExitCode::kOk);
  EXPECT_EQ(json["warmup_steps"], 1);
  EXPECT_EQ(json["steps"], 2);
  for (const char* term : {"compute", "all_reduce", "data_wait", "host"}) {
    EXPECT_TRUE(json["step_seconds"][term].contains("mean")) << term;
  }
}

/// Returns the steps before and in the window that `ganscale bench` measures with these keys.
std::pair<int, int> measured_window(const Arguments& keys) {
  Arguments arguments = {"bench", "--json"};
  for (const std::string key : {"model={resolution: 32, channels: 0.125}",
                                "training={batch: 2, threads: 1, device: cpu}"}) {
    arguments.insert(arguments.end(), {"--set", key});
  }
  for (const std::string& key : keys) arguments.insert(arguments.end(), {"--set", key});
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_ganscale(arguments), ExitCode::kOk);
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  return {json["warmup_steps"].get<int>(), json["steps"].get<int>()};
}

TEST(BenchVerb, TakesTheDefaultOfEachKeyOfTheWindowThatIsNotSet) {
  EXPECT_EQ(measured_window({"measure.warmup_steps=1"}), std::pair(1, 50));
  EXPECT_EQ(measured_window({"measure.steps=2"}), std::pair(10, 2));
  EXPECT_EQ(measured_window({"measure.warmup_steps=0", "measure.steps=2"}), std::pair(0, 2));
  EXPECT_EQ(measured_window({"measure.warmup_steps=0"}), std::pair(0, 50));
}

// As in the configuration of a run that was not measured.
TEST(BenchVerb, TakesAWindowOfZeroStepsForNone) {
  EXPECT_EQ(measured_window({"measure={warmup_steps: 0, steps: 0}"}), std::pair(10, 50));
}

TEST(BenchVerb, TakesAWarmupOfZeroOverAWindowOfZeroStepsAsGiven) {
  EXPECT_EQ(measured_window({"measure={warmup_steps: 0, steps: 0}", "measure.warmup_steps=0"}),
            std::pair(0, 50));
}

TEST(BenchVerb, ResolvesPresetsForTheRanksThatItCounts) {
  const Arguments automatic = {"--print-config", "--set", "model={name: stylegan2, preset: auto}",
                               "--set", "model.resolution=256"};
  const auto resolved = [&](const Arguments& more) {
    Arguments arguments = {"bench"};
    arguments.insert(arguments.end(), automatic.begin(), automatic.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_ganscale(arguments), ExitCode::kOk);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_THAT(resolved({}), testing::HasSubstr("\n  r1_gamma: 0.8192  #"));
  EXPECT_THAT(resolved({"--count", "--ranks", "4"}), testing::HasSubstr("\n  r1_gamma: 0.2048  #"));
}

TEST(BenchVerb, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_ganscale({"bench", "--set", "scheme.name=asynchronous"}), ExitCode::kConfig);
  EXPECT_EQ(run_ganscale({"bench", "--operators"}), ExitCode::kUsage);  // of a count
  for (const char* ranks : {"0", "1048577"})
    EXPECT_EQ(run_ganscale({"bench", "--count", "--ranks", ranks}), ExitCode::kUsage) << ranks;
  EXPECT_EQ(run_ganscale({"bench", "--set", "data.path=/no/such/data"}), ExitCode::kData);
}

TEST(Help, NamesEveryDeviceOfTheTable) {
  for (const char* verb : {"bench", "train"}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_ganscale({verb, "--help"}), ExitCode::kOk);
    const std::string help = testing::internal::GetCapturedStdout();
    for (const cost::Device& device : cost::devices())
      EXPECT_THAT(help, testing::HasSubstr(std::string(device.name))) << verb;
  }
}

TEST(BenchVerb, RefusesADeviceThatItDoesNotKnow) {
  EXPECT_EQ(run_ganscale({"bench", "--count", "--device", "abacus"}), ExitCode::kUsage);
}

}  // namespace
}  // namespace ganscale::cli
