#include "wire/role_plan.h"

#include <gtest/gtest.h>

namespace ganscale::wire {
namespace {

TEST(RoleRatio, IsReadFromTwoPositiveNumbers) {
  const auto ratio = parse_ratio("1:3");
  ASSERT_TRUE(ratio.has_value());
  EXPECT_EQ(ratio->generator, 1);
  EXPECT_EQ(ratio->discriminator, 3);
  for (const char* text :
       {"", "1", "1:", ":1", "0:1", "1:-1", "1:2:3", "1 : 2", "a:b", "1.5:1", "2147483647:1"})
    EXPECT_FALSE(parse_ratio(text).has_value()) << text;
}

TEST(RoleRatio, IsWrittenAsItIsRead) { EXPECT_EQ(to_text(*parse_ratio("1:3")), "1:3"); }

TEST(RoleRanks, AreTwoInASingleProcess) {
  EXPECT_EQ(role_ranks(1), 2);
  EXPECT_EQ(role_ranks(2), 2);
  EXPECT_EQ(role_ranks(8), 8);
}

// Ranks 0 and 4 generate.
TEST(RolePlan, HasBothRolesInEachRowOfRanks) {
  const RolePlan plan({1, 3}, 8);
  EXPECT_EQ(plan.size(Role::kGenerator), 2);
  EXPECT_EQ(plan.size(Role::kDiscriminator), 6);
  EXPECT_EQ(plan.place(0), (RolePlace{Role::kGenerator, 0}));
  EXPECT_EQ(plan.place(3), (RolePlace{Role::kDiscriminator, 2}));
  EXPECT_EQ(plan.place(4), (RolePlace{Role::kGenerator, 1}));
  EXPECT_EQ(plan.place(5), (RolePlace{Role::kDiscriminator, 3}));
}

TEST(RolePlan, FindsTheRankOfEachPlace) {
  for (const RoleRatio ratio : {RoleRatio{1, 1}, RoleRatio{2, 3}, RoleRatio{3, 1}}) {
    const RolePlan plan(ratio, 4 * ratio.sum());
    for (int rank = 0; rank < 4 * ratio.sum(); ++rank)
      EXPECT_EQ(plan.world_rank(plan.place(rank)), rank);
  }
}

}  // namespace
}  // namespace ganscale::wire
