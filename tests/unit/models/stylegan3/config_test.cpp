#include "models/stylegan3/config.h"

#include "support/expect_error.h"

namespace ganscale::models::stylegan3 {
namespace {

NetworkConfig read(const std::string& yaml, std::optional<at::ScalarType> low_precision = {}) {
  config::Section in(config::parse_yaml(yaml, "run.yaml"));
  return read_networks(in, {.resolution = 64, .low_precision_type = low_precision});
}

void expect_refused(const std::string& message, const std::string& yaml) {
  expect_error(ExitCode::kConfig, message, [&] { read(yaml); });
}

TEST(ReadNetworks, GivesTheGeneratorTheChannelsOfTheDiscriminatorUnlessItHasItsOwn) {
  const NetworkConfig t = read("{channel_base: 2048, channel_max: 64}");
  EXPECT_EQ(t.synthesis.channel_base, 2048);
  EXPECT_EQ(t.synthesis.channel_max, 64);
  const NetworkConfig r = read(
      "{channel_base: 2048, channel_max: 64, generator_channel_base: 4096, "
      "generator_channel_max: 128}");
  EXPECT_EQ(r.synthesis.channel_base, 4096);
  EXPECT_EQ(r.synthesis.channel_max, 128);
  EXPECT_EQ(r.discriminator.channel_base, 2048);
}

TEST(ReadNetworks, ClampsInLowPrecisionOrIfConfigured) {
  EXPECT_EQ(read("{}").clamp, std::nullopt);
  EXPECT_EQ(read("{}", at::kHalf).clamp, 256);
  EXPECT_EQ(read("{}", at::kHalf).synthesis.low_precision_resolutions, 4);
  EXPECT_EQ(read("conv_clamp: 4").clamp, 4);
  EXPECT_EQ(read("conv_clamp: 4").discriminator.clamp(), 4);
}

TEST(ReadNetworks, RefusesImpossibleShapes) {
  expect_refused("run.yaml:1: kernel: must be odd", "{kernel: 2, radial_filters: true}");
  expect_refused("run.yaml:1: critical_layers: must be 1 to 7: 8",
                 "{layers: 8, critical_layers: 8}");
  expect_refused("run.yaml:1: first_cutoff: must be above 0", "first_cutoff: 40");
  expect_refused("run.yaml:1: first_stopband: must be above first_cutoff",
                 "{first_cutoff: 4, first_stopband: 3}");
  expect_refused("run.yaml:1: last_stopband: must be above 1", "last_stopband: 1");
  expect_refused("must divide the channels at 4x4 pixels", "mbstd_features: 3");
  expect_refused("run.yaml:1: filter_taps: must be even with radial_filters",
                 "{filter_taps: 5, activation_rate: 1, radial_filters: true}");
}

// A kernel takes at most 1024 taps: a square of 32.
TEST(ReadNetworks, RefusesRadialFiltersThatNoKernelTakes) {
  const std::string message =
      "run.yaml:1: filter_taps: (filter_taps * activation_rate)^2, the taps of radial_filters, "
      "must "
      "be at most 1024: ";
  expect_refused(message + "(17 * 2)^2", "{filter_taps: 17, radial_filters: true}");
  expect_refused(message + "(12 * 3)^2",
                 "{filter_taps: 12, activation_rate: 3, radial_filters: true}");
  EXPECT_EQ(read("{filter_taps: 16, radial_filters: true}").synthesis.filter_taps, 16);
  EXPECT_EQ(read("{filter_taps: 32, activation_rate: 4}").synthesis.filter_taps, 32);
}

}  // namespace
}  // namespace ganscale::models::stylegan3
