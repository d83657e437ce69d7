#include "tensors/with_prefix.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

TEST(WithPrefix, GivesTheEntriesBelowItUnderTheRestOfTheirKeys) {
  const std::map<std::string, int> all{{"G.a", 1}, {"G.b", 2}, {"D.a", 3}, {"G", 4}, {"xG.a", 5}};
  EXPECT_EQ(with_prefix(all, "G."), (std::map<std::string, int>{{"a", 1}, {"b", 2}}));
}

}  // namespace
}  // namespace ganscale
