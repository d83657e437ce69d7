#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

TEST(BenchVerb, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_ganscale({"bench", "--set", "scheme.name=asynchronous"}), ExitCode::kConfig);
  EXPECT_EQ(run_ganscale({"bench", "--operators"}), ExitCode::kUsage);  // of a count
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
