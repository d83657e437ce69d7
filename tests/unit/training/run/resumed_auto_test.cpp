#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "training/run/parse_run.h"
#include "training/run/presets.h"

namespace ganscale::training {
namespace {

/// A run with the preset auto: begins on eight ranks.
class ResumedAuto : public testing::Test {
 protected:
  /// Returns the configuration with which the run goes on; own: more keys of it.
  RunConfig resumed(int world_size, const std::string& own = "") const {
    config::Node root = config::parse_yaml(kYaml + own, "run.yaml");
    keep_choices(root, config::parse_yaml(begun_.resolved, "config.yaml"));
    return configured(std::move(root), world_size);
  }

  static RunConfig configured(config::Node root, int world_size) {
    apply_presets(root, world_size);
    return parse_run(std::move(root));
  }

  static inline const std::string kYaml =
      "model: {name: stylegan2, preset: auto, resolution: 256}\n";
  const RunConfig begun_ = configured(config::parse_yaml(kYaml, "run.yaml"), 8);
};

TEST_F(ResumedAuto, IsTheSameOnAnyNumberOfRanks) {
  EXPECT_EQ(begun_.training.batch, 64);
  for (const int world_size : {1, 8, 64})
    EXPECT_EQ(resumed(world_size).resolved, begun_.resolved) << world_size;
}

TEST_F(ResumedAuto, FollowsABatchOfItsOwn) {
  const RunConfig other = resumed(16, "training: {batch: 32}\n");
  EXPECT_EQ(other.training.batch, 32);
  EXPECT_DOUBLE_EQ(other.generator.ema.kimg, 10);
  EXPECT_THAT(other.resolved, testing::HasSubstr("\n  mbstd_group: 2  #"));
}

TEST_F(ResumedAuto, TakesNothingOfARunWithAnotherPreset) {
  config::Node root = config::parse_yaml(kYaml, "run.yaml");
  EXPECT_FALSE(keep_choices(
      root,
      config::parse_yaml("model: {preset: paper256}\ntraining: {batch: 64}\n", "config.yaml")));
  EXPECT_EQ(configured(std::move(root), 1).training.batch, 16);
}

}  // namespace
}  // namespace ganscale::training
