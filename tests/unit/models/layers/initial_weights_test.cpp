#include "models/layers/initial_weights.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace ganscale::models {
namespace {

TEST(DrawNormal, DependsOnSeedAndNameAlone) {
  const auto draw = [](std::uint64_t seed, const char* name) {
    const auto parameter = at::zeros({10, 20});
    draw_normal(parameter, seed, name, 0, 1);
    return parameter;
  };
  EXPECT_TRUE(at::equal(draw(1, "a"), draw(1, "a")));
  EXPECT_FALSE(at::equal(draw(1, "a"), draw(2, "a")));
  EXPECT_FALSE(at::equal(draw(1, "a"), draw(1, "b")));
}

}  // namespace
}  // namespace ganscale::models
