#include "report/mlflow/mlflow_config.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::report {
namespace {

MlflowConfig parse(const std::string& yaml) {
  return parse_mlflow(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

void expect_refusal(const std::string& text, const std::string& yaml) {
  expect_error(ExitCode::kConfig, text, [&] { parse(yaml); });
}

TEST(MlflowConfig, IsOffByDefault) {
  EXPECT_FALSE(parse("{}\n").is_wanted());
  EXPECT_TRUE(parse("uri: http://tracking:5000\n").is_wanted());
  EXPECT_TRUE(parse("experiment: faces\n").is_wanted());
}

TEST(MlflowConfig, RefusesAnAddressThatIsNotAServer) {
  expect_refusal("run.yaml:1: uri: expected a tracking server", "uri: sqlite:///runs.db\n");
  expect_refusal("expected a tracking server", "uri: tracking:5000\n");
}

TEST(MlflowConfig, RefusesPasswordsThatWouldBeWritten) {
  expect_refusal("MLFLOW_TRACKING_PASSWORD", "uri: https://me:secret@tracking/mlflow\n");
  EXPECT_TRUE(parse("uri: https://tracking/mlflow/@me\n").is_wanted());
}

TEST(MlflowAccess, TakesWhatTheConfigurationLacksFromTheEnvironment) {
  MlflowEnvironment environment;
  environment.uri = "https://tracking/";
  environment.experiment = "other";
  environment.token = "secret";
  const MlflowAccess access = mlflow_access(parse("experiment: faces\n"), environment);
  EXPECT_EQ(access.uri, "https://tracking");
  EXPECT_EQ(access.experiment, "faces");
  EXPECT_EQ(access.token, "secret");
  EXPECT_EQ(mlflow_access(parse("uri: http://own\n"), environment).uri, "http://own");
  EXPECT_EQ(mlflow_access(parse("uri: http://own\n"), {}).experiment, "Default");
}

TEST(MlflowAccess, PrefersAPasswordToATokenAsMlflowDoes) {
  const MlflowConfig config = parse("uri: http://own\n");
  MlflowEnvironment environment;
  environment.username = "me";
  environment.password = "word";
  environment.token = "secret";
  EXPECT_EQ(mlflow_access(config, environment).username, "me");
  EXPECT_EQ(mlflow_access(config, environment).token, "");
  environment.password = "";
  EXPECT_EQ(mlflow_access(config, environment).username, "");
  EXPECT_EQ(mlflow_access(config, environment).token, "secret");
}

TEST(MlflowAccess, NeedsAnAddress) {
  const MlflowConfig config = parse("experiment: faces\n");
  expect_error(ExitCode::kConfig, "run.yaml:1: telemetry.mlflow.experiment: set",
               [&] { mlflow_access(config, {}); });
  MlflowEnvironment environment;
  environment.uri = "databricks";
  expect_error(ExitCode::kConfig, "MLFLOW_TRACKING_URI: expected a tracking server",
               [&] { mlflow_access(config, environment); });
}

TEST(MlflowAccess, IsRefusedWithoutItsPassword) {
  const MlflowConfig config = parse("experiment: faces\n");
  for (const auto& [uri, shown] :
       {std::pair("postgresql://me:se/cr@et@host/db", "postgresql://***@host/db"),
        {"mysql://host/db?password=p@ss", "mysql://***"},
        {"me:secret@host", "***@host"},
        {"mysql://host/db?password=secret", "mysql://host/db"}}) {
    MlflowEnvironment environment;
    environment.uri = uri;
    try {
      mlflow_access(config, environment);
      ADD_FAILURE() << uri;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), testing::EndsWith(std::string("https://...: ") + shown));
    }
  }
}

}  // namespace
}  // namespace ganscale::report
