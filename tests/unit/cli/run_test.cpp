#include "cli/run.h"

#include <gmock/gmock.h>

#include "unit/cli/run_ganscale.h"

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

}  // namespace
}  // namespace ganscale::cli
