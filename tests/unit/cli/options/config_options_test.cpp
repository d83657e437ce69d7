#include "cli/options/config_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdlib>

#include "config/section.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::cli {
namespace {

ConfigOptions parse(std::vector<std::string> arguments) {
  ConfigOptions options;
  CLI::App app;
  add_config_options(app, options);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 expects them
  app.parse(arguments);
  return options;
}

std::string value_of(const ConfigOptions& options, const std::string& section,
                     const std::string& key) {
  return config::Section(read_config(options)).section(section).get(key, "none", "of the test");
}

TEST(ConfigOptions, TakesEveryOption) {
  const auto options = parse(
      {"--config", "run.yaml", "--set", "a.b=1", "--set", "a.c=2", "--print-config", "--dry-run"});
  EXPECT_EQ(options.file, "run.yaml");
  EXPECT_EQ(options.assignments, (std::vector<std::string>{"a.b=1", "a.c=2"}));
  EXPECT_TRUE(options.print_config);
  EXPECT_TRUE(options.dry_run);
}

TEST(ConfigOptions, MayAllBeMissing) {
  const auto options = parse({});
  EXPECT_FALSE(options.print_config);
  EXPECT_FALSE(options.dry_run);
  EXPECT_EQ(value_of(options, "data", "path"), "none");
}

TEST(PrintConfigIfAsked, PrintsOnlyWithTheFlag) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(print_config_if_asked(parse({}), "model: {}\n"));
  EXPECT_TRUE(print_config_if_asked(parse({"--print-config"}), "data: {}\n"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "data: {}\n");
}

TEST(PrintConfigIfAsked, LeavesItToRank0) {
  setenv("OMPI_COMM_WORLD_RANK", "1", /*overwrite=*/1);
  testing::internal::CaptureStdout();
  EXPECT_TRUE(print_config_if_asked(parse({"--print-config"}), "data: {}\n"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(ReadConfig, PutsAssignmentsOverTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("run.yaml", "data: {path: a, labels: auto}\n");
  const auto options = parse({"--config", file.string(), "--set", "data.path=b"});
  EXPECT_EQ(value_of(options, "data", "path"), "b");
  EXPECT_EQ(value_of(options, "data", "labels"), "auto");
}

TEST(ReadConfig, LetsTheLastAssignmentWin) {
  EXPECT_EQ(value_of(parse({"--set", "data.path=a", "--set", "data.path=b"}), "data", "path"), "b");
}

TEST(ReadConfig, ReportsTheFaultOfAFile) {
  expect_error(ExitCode::kConfig, "/nowhere/run.yaml",
               [] { read_config(parse({"--config", "/nowhere/run.yaml"})); });
  const TemporaryFolder folder;
  const auto file = folder.write("run.yaml", "data: {path: a\n");
  expect_error(ExitCode::kConfig, "run.yaml",
               [&] { read_config(parse({"--config", file.string()})); });
}

TEST(ReadConfig, RefusesAnAssignmentWithoutAValue) {
  expect_error(ExitCode::kUsage, "data.path", [] { read_config(parse({"--set", "data.path"})); });
}

}  // namespace
}  // namespace ganscale::cli
