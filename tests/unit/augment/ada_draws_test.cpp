#include "augment/ada_draws.h"

#include <gtest/gtest.h>

namespace ganscale::augment {
namespace {

constexpr std::uint64_t kSeed = 5;

TEST(AdaDraws, OfAllRanksInterleaveToTheDrawsOfOneRank) {
  const auto whole = random_ada_draws({kSeed, 96, 1}, Use::kReals, 8);
  for (int rank = 0; rank < 4; ++rank) {
    const auto part =
        random_ada_draws(image_random(SeedMode::kImage, kSeed, rank, 4, 96), Use::kReals, 2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(part[i].gates, whole[rank + 4 * i].gates);
      EXPECT_EQ(part[i].uniforms, whole[rank + 4 * i].uniforms);
      EXPECT_EQ(part[i].normals, whole[rank + 4 * i].normals);
    }
  }
}

TEST(AdaDraws, DifferForEachUse) {
  const auto reals = random_ada_draws({kSeed, 0, 1}, Use::kReals, 1)[0];
  const auto fakes = random_ada_draws({kSeed, 0, 1}, Use::kDiscriminatorFakes, 1)[0];
  EXPECT_NE(reals.gates, fakes.gates);
  EXPECT_NE(reals.uniforms, fakes.uniforms);
  EXPECT_NE(reals.normals, fakes.normals);
}

}  // namespace
}  // namespace ganscale::augment
