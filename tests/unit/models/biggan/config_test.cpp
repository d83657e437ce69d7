#include "models/biggan/config.h"

#include <algorithm>

#include "models/build_model.h"
#include "support/expect_error.h"
#include "unit/models/read_model.h"

namespace ganscale::models::biggan {
namespace {

NetworkConfig of(int resolution, Depth depth = Depth::kPlain) {
  NetworkConfig c;
  c.depth = depth;
  c.resolution = resolution;
  c.generator_channels = 96;
  c.discriminator_channels = 96;
  c.attention = {64};
  return c;
}

using Widths = std::vector<int>;

Widths out_widths(const std::vector<Stage>& stages) {
  Widths widths;
  for (const Stage& stage : stages) widths.push_back(stage.out_channels / 96);
  return widths;
}

int halvings(const std::vector<Stage>& stages) {
  return static_cast<int>(std::ranges::count(stages, true, &Stage::resamples));
}

// Brock et al. 2018, Tables 4, 5 and 6.
TEST(BigganStages, FollowThePaper) {
  EXPECT_EQ(out_widths(generator_stages(of(128))), (Widths{16, 8, 4, 2, 1}));
  EXPECT_EQ(out_widths(discriminator_stages(of(128))), (Widths{1, 2, 4, 8, 16, 16}));
  EXPECT_EQ(out_widths(generator_stages(of(256))), (Widths{16, 8, 8, 4, 2, 1}));
  EXPECT_EQ(out_widths(discriminator_stages(of(256))), (Widths{1, 2, 4, 8, 8, 16, 16}));
  EXPECT_EQ(out_widths(generator_stages(of(512))), (Widths{16, 8, 8, 4, 2, 1, 1}));
  EXPECT_EQ(out_widths(discriminator_stages(of(512))), (Widths{1, 1, 2, 4, 8, 8, 16, 16}));
}

TEST(BigganStages, LeadFromWidthToWidth) {
  for (const int resolution : {32, 64, 128, 256, 512, 1024}) {
    for (const Depth depth : {Depth::kPlain, Depth::kDeep}) {
      for (const auto& stages :
           {generator_stages(of(resolution, depth)), discriminator_stages(of(resolution, depth))}) {
        for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
          EXPECT_EQ(stages[i].out_channels, stages[i + 1].in_channels) << resolution;
        }
      }
    }
  }
}

TEST(BigganStages, UpsampleFromAndHalveTo4x4) {
  for (const int resolution : {64, 128, 256, 512, 1024}) {
    EXPECT_EQ(4 << halvings(generator_stages(of(resolution))), resolution);
    EXPECT_EQ(4 << halvings(discriminator_stages(of(resolution))), resolution);
    EXPECT_EQ(4 << halvings(discriminator_stages(of(resolution, Depth::kDeep))), resolution);
  }
  EXPECT_EQ(4 << halvings(generator_stages(of(32))), 32);
  EXPECT_EQ(8 << halvings(discriminator_stages(of(32))), 32);
}

TEST(BigganStages, HaveAttentionAtTheirResolution) {
  const auto generator = generator_stages(of(256));          // 8, 16, 32, 64, 128, 256
  const auto discriminator = discriminator_stages(of(256));  // 128, 64, ...
  for (std::size_t i = 0; i < generator.size(); ++i) {
    EXPECT_EQ(generator[i].has_attention, i == 3) << i;
    EXPECT_EQ(discriminator[i].has_attention, i == 1) << i;
  }
}

TEST(BigganConfig, GivesEachPartOfZTwentyNumbers) {
  const auto z_dim = [](const std::string& yaml) {
    return build_generator(read_model(yaml, 2), 1, nullptr)->z_dim();
  };
  EXPECT_EQ(z_dim("{name: biggan, resolution: 32, generator_channels: 2}"), 80);
  EXPECT_EQ(z_dim("{name: biggan, resolution: 128, generator_channels: 1}"), 120);
  EXPECT_EQ(z_dim("{name: biggan_deep, resolution: 32, generator_channels: 4}"), 128);
}

TEST(BigganConfig, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig,
               "resolution: biggan supports squares of the powers of two from 32 to 1024, not 48",
               [] { read_model("{name: biggan, resolution: 48}"); });
  expect_error(ExitCode::kConfig, "z_dim: must be a multiple of 4, one part",
               [] { read_model("{name: biggan, z_dim: 42}"); });
  expect_error(ExitCode::kConfig,
               "run.yaml:1: attention: this model has the resolutions 8, 16, ... 32, not 64",
               [] { read_model("{name: biggan, attention: [64]}"); });
  expect_error(ExitCode::kConfig, "generator_channels: must be 4 to 1024: 2",
               [] { read_model("{name: biggan_deep, generator_channels: 2}"); });
}

}  // namespace
}  // namespace ganscale::models::biggan
