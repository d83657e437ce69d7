#include "cli/run.h"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "checkpoint/safetensors.h"
#include "command_line/run_program.h"
#include "support/temporary_folder.h"
#include "unit/cli/run_ganscale.h"
#include "wire/names.h"

namespace ganscale::cli {
namespace {

struct Told {
  ExitCode code;
  std::string error;
};

Told run_and_listen(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStderr();
  const ExitCode code = run_ganscale(arguments);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(Run, NamesTheVerbThatWasMeant) {
  const Told told = run_and_listen({"genrate", "--run", "r"});
  EXPECT_EQ(told.code, ExitCode::kUsage);
  EXPECT_EQ(told.error, "ganscale: error: unknown verb: genrate (did you mean generate?)\n");
  EXPECT_EQ(run_and_listen({"data", "convrt"}).error,
            "ganscale: error: unknown verb: convrt (did you mean convert?)\n");
}

TEST(Run, NamesAllVerbsWhereNoneIsClose) {
  EXPECT_THAT(
      run_and_listen({"swim"}).error,
      testing::StartsWith("ganscale: error: unknown verb: swim (known: train, launch, data, "));
}

std::string printed_by(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  const ExitCode code = run_ganscale(arguments);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, ExitCode::kOk) << testing::PrintToString(arguments);
  return text;
}

TEST(Run, PrintsTheHelpWithoutAVerb) {
  const std::string help = printed_by({"--help"});
  EXPECT_THAT(help, testing::HasSubstr("Subcommands:"));
  EXPECT_EQ(printed_by({}), help);
  EXPECT_EQ(printed_by({"help"}), help);
  EXPECT_EQ(printed_by({"help", "data", "convert"}), printed_by({"data", "convert", "--help"}));
  EXPECT_EQ(printed_by({"version"}), printed_by({"--version"}));
}

TEST(Run, LeavesTheHelpToRank0) {
  setenv("OMPI_COMM_WORLD_RANK", "1", /*overwrite=*/1);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"train", "--help"}, {"--version"}})
    EXPECT_EQ(printed_by(arguments), "") << testing::PrintToString(arguments);
  unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(Run, PrintsTheDefaultsOfAConversion) {
  const std::string help = printed_by({"data", "convert", "--help"});
  for (const char* text : {"--shards INT=1", "--fit TEXT:{pad,refuse,resize}=resize",
                           "--channels TEXT:{gray,keep,rgb}=keep", "=255 255 255",
                           "--most-refused INT=100", "--threads INT:INT in [1 - 1024]="})
    EXPECT_THAT(help, testing::HasSubstr(text));
}

TEST(Run, OffersADryRunOnlyWhereThereIsOne) {
  for (const char* verb : {"train", "bench"})
    EXPECT_THAT(printed_by({verb, "--help"}), testing::HasSubstr("--dry-run")) << verb;
  for (const char* verb : {"plan", "import"})
    EXPECT_THAT(printed_by({verb, "--help"}), testing::Not(testing::HasSubstr("--dry-run")))
        << verb;
}

TEST(Run, HelpsWithVerbsThatThereAre) {
  EXPECT_EQ(run_and_listen({"help", "trian"}).error,
            "ganscale: error: unknown verb: trian (did you mean train?)\n");
}

TEST(Run, PrintsItsBuild) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_ganscale({"--version"}), ExitCode::kOk);
  EXPECT_THAT(
      testing::internal::GetCapturedStdout(),
      testing::MatchesRegex("[0-9.]+\ncommit    .+\nlibtorch  2\\..+\ncuda      .+\nnccl      .+\n"
                            "mpi       .+\ncompiler  .+\n"));
}

TEST(Run, LeavesOtherMistakesToTheParser) {
  EXPECT_THAT(run_and_listen({"train", "--rnu", "r"}).error, testing::HasSubstr("--rnu"));
  EXPECT_EQ(run_and_listen({"data"}).code, ExitCode::kUsage);
}

TEST(Run, NamesUnexpectedArgumentsInTheirOrderAndWhatTheyMayMean) {
  const auto expect_told = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Told told = run_and_listen(arguments);
    EXPECT_EQ(told.code, ExitCode::kUsage);
    EXPECT_EQ(told.error, "ganscale: error: " + text + "\nRun with --help for more information.\n");
  };
  expect_told({"train", "-n", "2"}, "unexpected arguments: -n 2");
  expect_told({"train", "--confg=x"}, "unexpected argument: --confg=x (did you mean --config?)");
  expect_told({"train", "one", "--rnu", "r"},
              "unexpected arguments: one --rnu r (did you mean --run?)");
  expect_told({"train", "--resume", "r"},
              "unexpected arguments: --resume r (did you mean --resume-weights?)");
  expect_told({"data", "verify", "x", "y", "z"}, "unexpected arguments: y z");
  expect_told({"serve", "r", "--gamma=1"}, "unexpected argument: --gamma=1");
}

TEST(Run, LeadsFromTheOptionsOfOtherTrainersToTheConfiguration) {
  for (const char* option : {"--batch=8", "--gamma=1", "--gpus=1", "--aug=noaug", "--metrics=none",
                             "--seed=1", "--snap=10", "--outdir=runs", "--cfg=auto", "--kimg=1"}) {
    EXPECT_EQ(run_and_listen({"train", option}).error,
              "ganscale: error: unexpected argument: " + std::string(option) +
                  " (run folder: --run; keys of the configuration: --set training.batch=8)\n"
                  "Run with --help for more information.\n");
  }
  EXPECT_THAT(run_and_listen({"bench", "--batch=8"}).error,
              testing::HasSubstr("--batch=8 (keys of the configuration: --set training.batch=8)"));
}

TEST(Run, TakesTheRunOfAReportLikeThatOfOtherVerbs) {
  const TemporaryFolder folder;
  const std::string run = folder / "no-such-run";
  for (const char* verb : {"report", "serve"}) {
    const Told told = run_and_listen({verb, "--run", run});
    EXPECT_THAT(told.error, testing::HasSubstr(run)) << verb;
    EXPECT_EQ(told.error, run_and_listen({verb, run}).error) << verb;
    const std::string help = printed_by({verb, "--help"});
    EXPECT_THAT(help, testing::HasSubstr("run DIR REQUIRED")) << verb;
    EXPECT_THAT(help, testing::Not(testing::HasSubstr("--run"))) << verb;
    EXPECT_THAT(run_and_listen({verb}).error, testing::HasSubstr("error: run is required")) << verb;
    EXPECT_THAT(run_and_listen({verb, run, "--run", run}).error,
                testing::HasSubstr("--run excludes run"))
        << verb;
  }
}

TEST(Run, NamesTheTypeOfAFileOnce) {
  EXPECT_THAT(printed_by({"launch", "--help"}),
              testing::AllOf(testing::HasSubstr("--hostfile FILE "),
                             testing::Not(testing::HasSubstr("FILE:FILE"))));
}

TEST(ReportVerb, WritesHtmlOnly) {
  const Told told = run_and_listen({"report", "runs/r1", "--out", "r1.pdf"});
  EXPECT_EQ(told.code, ExitCode::kUsage);
  EXPECT_THAT(told.error, testing::HasSubstr("--out: a report is written as .html: r1.pdf"));
}

TEST(Run, SaysWhatANumberMustBe) {
  using Arguments = std::vector<std::string>;
  for (const auto& [arguments, text] :
       {std::pair(Arguments{"launch", "-n", "0", "train"},
                  "--ranks: must be a positive integer: 0"),
        std::pair(Arguments{"launch", "-n", "two", "train"}, "--ranks: not an integer: two"),
        std::pair(Arguments{"plan", "--kimg", "0"}, "--kimg: must be a positive number: 0"),
        std::pair(Arguments{"plan", "--gpus", "1.5"}, "--gpus: not an integer: 1.5"),
        std::pair(Arguments{"data", "inspect", "x", "--sample=-1"},
                  "--sample: must be a positive integer: -1"),
        std::pair(Arguments{"preflight", "--floor=-1"}, "--floor: must not be negative: -1"),
        std::pair(Arguments{"preflight", "--floor", "fast"}, "--floor: not a number: fast"),
        std::pair(Arguments{"preflight", "--hcas=-1"}, "--hcas: must not be negative: -1")}) {
    const Told told = run_and_listen(arguments);
    EXPECT_EQ(told.code, ExitCode::kUsage);
    EXPECT_THAT(told.error, testing::HasSubstr(std::string(text) + "\n"));
  }
}

TEST(PreflightVerb, RefusesAFloorForOneRank) {
  const Told told = run_and_listen({"preflight", "--floor", "1000"});
  EXPECT_EQ(told.code, ExitCode::kUsage);
  EXPECT_THAT(told.error, testing::HasSubstr("--floor: one rank measures no bandwidth"));
}

// The operator sets it for every training with a preflight, and an administrator for a node.
TEST(PreflightVerb, TakesTheFloorOfTheEnvironmentForOneRank) {
  setenv(wire::environment::kPreflightFloor, "1000", /*overwrite=*/1);
  EXPECT_THAT(printed_by({"preflight"}),
              testing::StartsWith("No bandwidth was measured: there is one rank\n"));
  unsetenv(wire::environment::kPreflightFloor);
}

TEST(Run, LogsAnErrorOnce) {
  const command_line::Action action = []() -> ExitCode {
    try {
      throw DataError("the shard is torn");
    } catch (const DataError&) {
      command_line::log_error();
      throw;
    }
  };
  for (int i = 0; i < 2; ++i) {
    CLI::App app;
    app.add_flag("--now");
    std::string words[] = {"ganscale", "--now"};
    char* arguments[] = {words[0].data(), words[1].data()};
    testing::internal::CaptureStderr();
    EXPECT_EQ(command_line::run_program(app, action, 2, arguments),
              static_cast<int>(ExitCode::kData));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "ganscale: error: the shard is torn\n");
  }
}

// A rank that waits for another one to report first does so once, while it still has its groups.
TEST(Run, WaitsOnceBeforeItLogsAnErrorOfTheUser) {
  int waits = 0;
  const auto waits_for = [&](ExitCode code) {
    const command_line::Action action = [&, code]() -> ExitCode {
      try {
        throw Error(code, "the shard is torn");
      } catch (const Error&) {
        waits = 0;
        command_line::log_error();
        EXPECT_EQ(waits, code == ExitCode::kData ? 1 : 0);
        throw;
      }
    };
    CLI::App app;
    app.add_flag("--now");
    std::string words[] = {"ganscale", "--now"};
    char* arguments[] = {words[0].data(), words[1].data()};
    testing::internal::CaptureStderr();
    EXPECT_EQ(
        command_line::run_program(app, action, 2, arguments,
                                  {.prints_help = true, .before_user_error = [&] { ++waits; }}),
        static_cast<int>(code));
    testing::internal::GetCapturedStderr();
    return waits;
  };
  EXPECT_EQ(waits_for(ExitCode::kData), 1);
  EXPECT_EQ(waits_for(ExitCode::kPeerLost), 0);
}

TEST(LaunchVerb, SaysThatItsOptionsGoBeforeTheVerb) {
  EXPECT_EQ(run_and_listen({"launch", "train", "-n", "2"}).error,
            "ganscale: error: -n goes before the verb, as in ganscale launch -n 2 train\n");
  const Told told = run_and_listen({"launch", "bench", "--hostfile=hosts"});
  EXPECT_EQ(told.code, ExitCode::kUsage);
  EXPECT_THAT(told.error, testing::HasSubstr("--hostfile goes before the verb"));
}

TEST(EvaluateVerb, NamesEveryMetricInItsHelp) {
  const std::string help = printed_by({"evaluate", "--help"});
  const auto metrics = help.substr(help.find("Metrics: "));
  for (const char* name : {"fid", "is", "kid", "pr", "dc", "ppl", "eqt", "eqr"})
    EXPECT_THAT(metrics, testing::ContainsRegex("[ \n]" + std::string(name) + "[ ,]")) << name;
}

TEST(ImportVerb, RefusesOptionsWithoutEffect) {
  const auto expect_refused = [](const std::vector<std::string>& options, const std::string& text) {
    std::vector<std::string> arguments = {"import", "--run", "r", "--from"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Told told = run_and_listen(arguments);
    EXPECT_EQ(told.code, ExitCode::kUsage) << told.error;
    EXPECT_THAT(told.error, testing::HasSubstr(text));
  };
  for (const char* file : {"ffhq.pkl", "networks.pt"})
    expect_refused({file, "--print-config"}, "--print-config: there is no configuration to print");
  for (const char* shape : {"--channels", "--labels"})
    expect_refused({"ffhq.pkl", shape, "1"}, "--channels, --labels: only with a configuration");
  const TemporaryFolder folder;
  const std::string network = folder.write("ffhq.pkl", "a pickle");
  const std::string own = "a network file (.pkl) says itself of which model it is";
  expect_refused({network, "--set", "model.name=stylegan2"}, own);
  expect_refused({network, "--config", "demo", "--print-config"}, own);
}

// torch.save() writes a zip archive under any name.
TEST(ImportVerb, ReadsAFileOfTorchSaveThatIsNamedLikeANetwork) {
  const TemporaryFolder folder;
  const std::string file = folder.write("weights.pkl", "PK\x03\x04, damaged");
  EXPECT_EQ(
      run_and_listen({"import", "--from", file, "--run", folder / "r", "--set", "model.name=dcgan"})
          .code,
      ExitCode::kData);
}

TEST(ImportVerb, NamesTheConfigurationThatWeightsDoNotFit) {
  const TemporaryFolder folder;
  const std::string file = folder / "weights.safetensors";
  checkpoint::write_safetensors(file, {{"weight", at::zeros({1})}});
  const std::string config = folder.write("own.yaml", "# small\nmodel: {name: wgan}\n");
  const Told told =
      run_and_listen({"import", "--from", file, "--config", config, "--run", folder / "run"});
  EXPECT_EQ(told.code, ExitCode::kData);
  EXPECT_THAT(told.error, testing::HasSubstr("has an unknown tensor: weight; compared with the "
                                             "networks of " +
                                             config + ":2: model.name wgan, model.resolution 32"));
}

TEST(ExportVerb, RefusesAFormatThatTheExtensionContradicts) {
  const auto expect_refused = [](const std::vector<std::string>& options, const std::string& text) {
    std::vector<std::string> arguments = {"export", "--run", "r", "--out"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Told told = run_and_listen(arguments);
    EXPECT_EQ(told.code, ExitCode::kUsage) << told.error;
    EXPECT_THAT(told.error, testing::HasSubstr(text));
  };
  expect_refused({"g.pt", "--format", "safetensors"},
                 "--out: .pt is for --format torchscript, not safetensors: g.pt");
  expect_refused({"g.safetensors", "--format", "torchscript"},
                 "--out: .safetensors is for --format safetensors, not torchscript");
  expect_refused({"g.onnx"}, "PyTorch makes ONNX from .pt");
}

}  // namespace
}  // namespace ganscale::cli
