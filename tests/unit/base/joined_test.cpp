#include "base/joined.h"

#include <gtest/gtest.h>

#include <map>
#include <ranges>
#include <vector>

namespace ganscale {
namespace {

TEST(Joined, HasASeparatorBetweenTwoAlone) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "b"}, " or "), "a or b");
}

TEST(Joined, TakesTheKeysOfAMap) {
  const std::map<std::string, int> map = {{"b", 2}, {"a", 1}};
  EXPECT_EQ(joined(std::views::keys(map)), "a, b");
}

TEST(Counted, IsInThePluralUnlessItIsOne) {
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(2, "node"), "2 nodes");
}

}  // namespace
}  // namespace ganscale
