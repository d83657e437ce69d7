#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/atomic_file.h"
#include "unit/cli/run_ganscale.h"

namespace ganscale::cli {
namespace {

using Arguments = std::vector<std::string>;

/// A small DC-GAN on nodes of four V100.
Arguments with(const Arguments& more, const std::string& machine = "puhti-v100") {
  Arguments arguments = {"plan", "--machine", machine, "--set", "training.batch=16"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string printed(const Arguments& more, const std::string& machine = "puhti-v100") {
  testing::internal::CaptureStdout();
  const ExitCode code = run_ganscale(with(more, machine));
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, ExitCode::kOk);
  return text;
}

std::string written(const std::string& text, const std::string& name = "plan_test.yaml") {
  const auto file = std::filesystem::path(testing::TempDir()) / name;
  files::write_file_atomically(file, text);
  return file;
}

std::string bench_result(const std::string& model = "dcgan", int resolution = 32) {
  const nlohmann::json json = {{"model", model}, {"resolution", {resolution, resolution}},
                               {"ranks", 4},     {"batch", 16},
                               {"steps", 10},    {"seconds_per_kimg", 2000.0}};
  return written(json.dump(), "bench.json");
}

TEST(PlanVerb, PrintsRowsAndWhatItAssumes) {
  const std::string text = printed({});
  EXPECT_THAT(text, testing::HasSubstr("puhti-v100: nodes of 4 x V100"));
  EXPECT_THAT(text, testing::HasSubstr("further rows left out: the batch of 16 gives 32 GPUs"));
  EXPECT_THAT(text, testing::HasSubstr("link_share: 0.8"));
}

TEST(PlanVerb, CountsTheWorkThatTheDeviceAndTheLinksDo) {
  const auto json = nlohmann::json::parse(printed({"--json", "--mode", "weak"}));
  ASSERT_EQ(json["rows"].size(), 11);
  EXPECT_EQ(json["rows"][10]["gpus"], 4096);
  EXPECT_GT(json["rows"][0]["step_seconds"]["device"], 0);
  EXPECT_GT(json["rows"][0]["step_seconds"]["all-reduce"], 0);
  const auto alone = nlohmann::json::parse(
      printed({"--json", "--nodes", "1", "--gpus", "1", "--mode", "per_label"}));
  EXPECT_EQ(alone["rows"][0]["batch"], 16);
  EXPECT_EQ(alone["rows"][0]["step_seconds"]["all-reduce"], 0);
}

TEST(PlanVerb, IsCalibratedByMeasurements) {
  const std::string file = written("points: [{gpus: 4, batch: 16, seconds_per_kimg: 2000}]\n");
  const auto json = nlohmann::json::parse(printed({"--json", "--calibrate", file}));
  EXPECT_NEAR(json["rows"][0]["seconds_per_kimg"], 2000, 1);
  EXPECT_NEAR(json["measured"][0]["model"], 2000, 1);
  EXPECT_GT(json["assumptions"]["device"], 2);
  EXPECT_EQ(json["machine"]["name"], "puhti-v100");
}

TEST(PlanVerb, IsCalibratedByWhatBenchMeasured) {
  const std::string bench = bench_result();
  const auto json = nlohmann::json::parse(printed({"--json", "--calibrate", bench}));
  EXPECT_NEAR(json["rows"][0]["seconds_per_kimg"], 2000, 1);
  const std::string settings = written("assume: {jitter: 0}\n");
  const auto both = nlohmann::json::parse(printed({"--json", "--calibrate", settings, bench}));
  EXPECT_EQ(both["assumptions"]["jitter"], 0);
  EXPECT_NEAR(both["measured"][0]["measured"], 2000, 1e-9);
}

TEST(PlanVerb, RefusesWhatBenchDidNotMeasureOfTheModel) {
  const auto refused = [](const std::string& json, const std::string& message) {
    const std::string file = written(json, "bench.json");
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_ganscale(with({"--calibrate", file})), ExitCode::kConfig);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(message));
  };
  refused("{}", "is this file a result of `ganscale bench --json`?");
  refused(R"({"ranks": 4, "batch": 16, "seconds_per_kimg": 2000.0})",
          "steps: must be above 0: a result of `ganscale bench --count` is not a measurement");
  refused(files::read_file(bench_result("stylegan2")),
          "model: is not the configured model, dcgan: stylegan2");
  refused(files::read_file(bench_result("dcgan", 64)),
          "resolution: is not that of the configured model, 32x32: 64x64");
}

TEST(PlanVerb, TakesOneFileOfCalibrationSettings) {
  const std::string file = written("points: [{gpus: 4, batch: 16, seconds_per_kimg: 2000}]\n");
  EXPECT_EQ(run_ganscale(with({"--calibrate", file, file})), ExitCode::kUsage);
}

TEST(PlanVerb, WritesAPlot) {
  const auto file = std::filesystem::path(testing::TempDir()) / "plan_test.svg";
  printed({"--svg", file});
  EXPECT_THAT(files::read_file(file), testing::StartsWith("<svg"));
}

TEST(PlanVerb, WritesAPlotAsSvgOnly) {
  const auto file = std::filesystem::path(testing::TempDir()) / "plan_test.png";
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale(with({"--svg", file})), ExitCode::kUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("--svg: a plot is written as .svg: " + file.string()));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(PlanVerb, SimulatesRuns) {
  const std::string file = written("rank_hours_between_failures: 1000\n");
  const Arguments simulated = {"--simulate", "--nodes", "1", "--conditions", file};
  const std::string text = printed(simulated);
  EXPECT_THAT(text, testing::HasSubstr("4 GPUs, batch 16, 512 steps of each scheme"));
  EXPECT_THAT(text, testing::HasSubstr("rank_hours_between_failures: 1000"));
  Arguments as_json = simulated;
  as_json.emplace_back("--json");
  const auto json = nlohmann::json::parse(printed(as_json));
  EXPECT_EQ(json["rows"][0]["hours_between_failures"], 250);
  EXPECT_EQ(json["rows"][0]["configured"]["kimg"], 200);
  EXPECT_EQ(json["conditions"]["rank_hours_between_failures"], 1000);
}

TEST(PlanVerb, AdvisesAScheme) {
  const Arguments compared = {"--scheme", "auto", "--nodes", "1"};
  const std::string text = printed(compared);
  EXPECT_THAT(text, testing::HasSubstr("4 GPUs, batch 16, 512 steps of each scheme"));
  EXPECT_THAT(text, testing::HasSubstr("asynchronous 1:1, max_staleness 1 "));
  EXPECT_THAT(text, testing::HasSubstr("Advice for 4 GPUs"));
  EXPECT_THAT(text, testing::HasSubstr("\n  scheme: {name: "));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("failure every")));
  Arguments as_json = compared;
  as_json.emplace_back("--json");
  const auto json = nlohmann::json::parse(printed(as_json));
  EXPECT_EQ(json["schemes"][0]["scheme"], "synchronous");
  EXPECT_TRUE(json["advice"]["asynchronous_gain"].is_number());
  EXPECT_EQ(json["machine"]["name"], "puhti-v100");
}

TEST(PlanVerb, ComparesSchemesUnderConditions) {
  const std::string file = written("pauses_per_hour: 3\n");
  EXPECT_THAT(printed({"--scheme", "auto", "--nodes", "1", "--conditions", file}),
              testing::HasSubstr("pauses_per_hour: 3"));
}

/// Returns what the verb writes to the standard error when it refuses its arguments.
std::string refusal_of(const Arguments& more) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale(with(more)), ExitCode::kUsage);
  return testing::internal::GetCapturedStderr();
}

TEST(PlanVerb, SaysHowToCompareSchemesOfAConfigurationOfLabels) {
  const std::string one = refusal_of({"--scheme", "auto", "--set", "scheme.name=per_label"});
  EXPECT_THAT(one, testing::HasSubstr("the configured scheme is per_label; give --mode strong"));
  EXPECT_THAT(one, testing::Not(testing::HasSubstr("devices_per_process")));
  EXPECT_THAT(refusal_of({"--scheme", "auto", "--set", "scheme.name=per_label", "--set",
                          "training.devices_per_process=2"}),
              testing::HasSubstr("and set training.devices_per_process to 1"));
}

TEST(PlanVerb, ReadsAMachine) {
  const std::string file = written("name: lab\ndevice: A100\ngpus_per_node: 2\n");
  EXPECT_THAT(printed({}, file), testing::HasSubstr("lab: nodes of 2 x A100"));
}

// A GPU takes four images one by one, of which the count cannot take a quarter; or three, of which
// two GPUs have no whole groups of four.
TEST(PlanVerb, PlansWhatCannotBeCountedAsItIsTrained) {
  EXPECT_THAT(printed({"--set", "training.accumulate=4"}), testing::HasSubstr("batch"));
  const Arguments styled = {"--set",
                            "model={name: stylegan2, channel_max: 8, mbstd_group: 4}",
                            "--json",
                            "--set",
                            "training.batch=12",
                            "--nodes",
                            "1"};
  const auto json = nlohmann::json::parse(printed(styled));
  EXPECT_EQ(json["rows"][0]["batch"], 12);
  EXPECT_GT(json["rows"][0]["step_seconds"]["device"], 0);
}

/// A DC-GAN for each label, whose networks have a GPU each.
Arguments on_two_gpus(const Arguments& more) {
  Arguments arguments = {"--set", "scheme.name=per_label", "--set",
                         "training.devices_per_process=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(PlanVerb, GivesALabelTheTwoGpusOfAProcess) {
  const auto json = nlohmann::json::parse(
      printed(on_two_gpus({"--mode", "per_label", "--nodes", "2", "--json"})));
  ASSERT_EQ(json["rows"].size(), 2);
  EXPECT_EQ(json["rows"][1]["gpus"], 8);
  EXPECT_EQ(json["rows"][1]["batch"], 4 * 16);
  EXPECT_NEAR(json["rows"][1]["gpu_hours"], 8 * json["rows"][1]["hours"].get<double>(), 1e-9);
  EXPECT_THAT(printed(on_two_gpus({"--mode", "per_label", "--gpus", "2"})),
              testing::HasSubstr("per_label scaling on puhti-v100, 2 GPUs per label"));
}

TEST(PlanVerb, RefusesGpusThatAreNotThoseOfWholeProcesses) {
  const auto code_of = [](const Arguments& more, const std::string& machine = "puhti-v100") {
    return run_ganscale(with(on_two_gpus(more), machine));
  };
  const std::string odd = written("name: lab\ndevice: A100\ngpus_per_node: 3\n", "odd.yaml");
  EXPECT_EQ(code_of({"--mode", "per_label", "--gpus", "3"}), ExitCode::kUsage);
  EXPECT_EQ(code_of({"--mode", "per_label"}, odd), ExitCode::kUsage);
  EXPECT_EQ(code_of({"--mode", "strong"}), ExitCode::kUsage);
}

TEST(PlanVerb, TakesModeAndLengthFromTheConfiguration) {
  const std::string per_label = "scheme.name=per_label";
  const std::string some = "scheme={name: per_label, labels: [0, 1]}";
  const std::string length = "training.total_kimg=500";
  struct Case {
    Arguments options;
    std::string mode;
    double kimg;
  };
  for (const Case& each : {
           Case{{}, "strong", 25'000},
           Case{{"--set", length}, "strong", 500},
           Case{{"--set", length, "--kimg", "7"}, "strong", 7},
           Case{{"--set", length, "--set", per_label, "--labels", "10"}, "per_label", 50},
           Case{{"--set", length, "--set", some, "--labels", "10"}, "per_label", 50},
           Case{{"--set", length, "--set", some}, "per_label", 25'000},
           Case{{"--set", length, "--set", per_label}, "per_label", 25'000},
           Case{{"--set", length, "--set", per_label, "--mode", "weak"}, "weak", 500},
       }) {
    Arguments arguments = {"--json", "--nodes", "1"};
    arguments.insert(arguments.end(), each.options.begin(), each.options.end());
    const auto json = nlohmann::json::parse(printed(arguments));
    EXPECT_EQ(json["mode"], each.mode) << testing::PrintToString(arguments);
    EXPECT_EQ(json["kimg"], each.kimg) << testing::PrintToString(arguments);
  }
}

/// Returns the configuration of a plan of StyleGAN2 whose batch and r1_gamma follow from the ranks.
std::string resolved_for_ranks(const Arguments& more) {
  Arguments arguments = {"plan",       "--machine",
                         "puhti-v100", "--print-config",
                         "--set",      "model={name: stylegan2, preset: auto, resolution: 256}"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_ganscale(arguments), ExitCode::kOk);
  return testing::internal::GetCapturedStdout();
}

TEST(PlanVerb, ResolvesPresetsForTheRanksOfTheFirstRow) {
  EXPECT_THAT(resolved_for_ranks({}), testing::HasSubstr("\n  r1_gamma: 0.2048  #"));
  EXPECT_THAT(resolved_for_ranks({"--gpus", "1"}), testing::HasSubstr("\n  r1_gamma: 0.8192  #"));
  EXPECT_THAT(resolved_for_ranks(on_two_gpus({})), testing::HasSubstr("\n  r1_gamma: 0.4096  #"));
}

TEST(PlanVerb, SaysThatItPredictsTheSynchronousScheme) {
  testing::internal::CaptureStderr();
  printed({"--nodes", "1", "--set", "scheme.name=asynchronous"});
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("Predicting the synchronous scheme instead of the configured one"));
}

TEST(PlanVerb, RefusesWhatIsImpossible) {
  EXPECT_EQ(run_ganscale(with({}, "abacus")), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale(with({"--mode", "sideways"})), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale(with({"--gpus", "5"})), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale({"plan", "--machine", "dgx-a100", "--set", "training.batch=18"}),
            ExitCode::kConfig);
  EXPECT_EQ(run_ganscale(with({"--calibrate", written("points: []\n")})), ExitCode::kConfig);
  EXPECT_EQ(run_ganscale(with({"--conditions", written("")})), ExitCode::kUsage);  // of nothing
  EXPECT_EQ(run_ganscale(with({"--calibrate", "/no/such/file.yaml"})), ExitCode::kConfig);
  EXPECT_EQ(run_ganscale(with({"--scheme", "synchronous"})), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale(with({"--scheme", "auto", "--simulate"})), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale(with({"--scheme", "auto", "--mode", "per_label"})), ExitCode::kUsage);
}

}  // namespace
}  // namespace ganscale::cli
