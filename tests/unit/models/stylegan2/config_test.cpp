#include "models/stylegan2/config.h"

#include "support/expect_error.h"

namespace ganscale::models::stylegan2 {
namespace {

NetworkConfig read(const std::string& yaml) {
  config::Section in(config::parse_yaml(yaml, "run.yaml"));
  return read_networks(in, {.resolution = 64});
}

void expect_refused(const std::string& message, const std::string& yaml) {
  expect_error(ExitCode::kConfig, message, [&] { read(yaml); });
}

TEST(ReadNetworks, RequiresStddevFeaturesThatDivideTheChannels) {
  const std::string eight = "channel_max: 8\n";
  EXPECT_EQ(read(eight + "mbstd_features: 4\n").stddev_features, 4);
  EXPECT_EQ(read(eight + "mbstd_features: 0\n").stddev_features, 0);
  expect_refused("run.yaml:2: mbstd_features: must divide the channels at 4x4 pixels, 8: 3",
                 eight + "mbstd_features: 3\n");
  expect_refused("must divide the channels at 4x4 pixels, 8: 16", eight + "mbstd_features: 16\n");
}

TEST(ReadNetworks, RefusesNetworksThatNoMachineHolds) {
  expect_refused("run.yaml:1: mapping_layers: must be 1 to 64: 2000000",
                 "mapping_layers: 2000000\n");
  for (const char* key : {"z_dim", "w_dim", "channel_max"}) {
    expect_refused(std::string("run.yaml:1: ") + key + ": must be 1 to 8192: 8193",
                   std::string(key) + ": 8193\n");
    expect_refused(std::string(key) + ": must be 1 to 8192: 0", std::string(key) + ": 0\n");
  }
  expect_refused("low_precision_resolutions: must be 0 to 8: 32",
                 "low_precision_resolutions: 32\n");
}

TEST(ReadNetworks, TakesABetaOf0ForTheMeanStyle) {
  EXPECT_EQ(read("w_average_beta: 0\n").w_average_beta, 0);
  expect_refused("run.yaml:1: w_average_beta: must be in [0, 1)", "w_average_beta: 1\n");
}

}  // namespace
}  // namespace ganscale::models::stylegan2
