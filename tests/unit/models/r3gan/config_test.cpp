#include "models/r3gan/config.h"

#include "support/expect_error.h"
#include "unit/models/read_model.h"

namespace ganscale::models::r3gan {
namespace {

NetworkConfig read(const std::string& more) {
  const ModelConfig config = read_model("{name: r3gan" + more + "}");
  const auto& blueprint = dynamic_cast<const BlueprintOf<NetworkConfig>&>(*config.blueprint);
  return blueprint.networks({.image = {.channels = 3, .resolution = config.resolution}});
}

using Numbers = std::vector<std::int64_t>;

Numbers each(const NetworkConfig& config, std::int64_t Stage::* member) {
  Numbers numbers;
  for (const Stage& stage : config.stages) numbers.push_back(stage.*member);
  return numbers;
}

// Huang et al. 2024: what is published for FFHQ at 256x256 and ImageNet at 64x64.
TEST(R3ganConfig, HasThePublishedStages) {
  const NetworkConfig faces = read(", resolution: 256");
  EXPECT_EQ(each(faces, &Stage::width), (Numbers{768, 768, 768, 768, 384, 192, 96}));
  EXPECT_EQ(each(faces, &Stage::cardinality), (Numbers{96, 96, 96, 96, 48, 24, 12}));
  EXPECT_EQ(faces.block_count(), 14);
  EXPECT_EQ(faces.z_dim, 64);
  const NetworkConfig objects =
      read(", resolution: 64, channel_base: 98304, channel_max: 1536, group_channels: 32");
  EXPECT_EQ(each(objects, &Stage::width), (Numbers{1536, 1536, 1536, 1536, 1536}));
  EXPECT_EQ(each(objects, &Stage::cardinality), (Numbers{96, 96, 96, 96, 96}));
  EXPECT_EQ(objects.label_dim, 64);
  EXPECT_EQ(objects.score_label_dim, 1536);
}

TEST(R3ganConfig, TakesListsOfStages) {
  const NetworkConfig listed = read(
      ", resolution: 16, widths: [12, 8, 4], cardinality: [3, 4, 8], blocks: [1, 3, 2], "
      "expansion: 2");
  EXPECT_EQ(each(listed, &Stage::width), (Numbers{12, 8, 4}));
  EXPECT_EQ(each(listed, &Stage::cardinality), (Numbers{3, 4, 8}));
  EXPECT_EQ(each(listed, &Stage::blocks), (Numbers{1, 3, 2}));
}

// 8 to 32 of 32x32, 8 to 64 of 64x64, 32 to 256 of 256x256.
TEST(R3ganConfig, ComputesInLowPrecisionInTheSameStagesAsPublished) {
  for (const auto& [resolution, lowest] : {std::pair{32, 8}, {64, 8}, {256, 32}}) {
    const ModelConfig config =
        read_model("{name: r3gan, resolution: " + std::to_string(resolution) + "}");
    EXPECT_EQ(config.blueprint->lowest_low_precision_resolution(), lowest);
    NetworkConfig networks = read(", resolution: " + std::to_string(resolution));
    networks.low_precision_type = at::kBFloat16;
    for (std::size_t stage = 0; stage < networks.stages.size(); ++stage) {
      EXPECT_EQ(networks.compute_type(stage, at::kFloat) == at::kBFloat16, 4 << stage >= lowest)
          << resolution << ": " << stage;
    }
  }
}

TEST(R3ganConfig, RefusesImpossibleValuesAtTheirKey) {
  const auto expect = [](const std::string& message, const std::string& more) {
    expect_error(ExitCode::kConfig, "run.yaml:1: " + message, [&] { read(more); });
  };
  expect("resolution: r3gan supports the powers of two from 8 to 1024, not 48", ", resolution: 48");
  expect("widths: this resolution has 4 stages, each of which needs a number: 3",
         ", widths: [8, 8, 8]");
  expect("blocks: this resolution has 3 stages, each of which needs a number: 1",
         ", resolution: 16, blocks: [1]");
  expect("blocks: must be 1 to 64: 0", ", blocks: [1, 1, 0, 1]");
  expect(
      "cardinality: must divide the channels inside the blocks, expansion x width = 16 at 8x8: 5",
      ", widths: [8, 8, 8, 8], cardinality: [4, 5, 4, 4]");
  expect("low_precision_resolutions: must be 0 to 3: 4", ", low_precision_resolutions: 4");
  expect("z_dim: must be 1 to 8192: 0", ", z_dim: 0");
}

}  // namespace
}  // namespace ganscale::models::r3gan
