#include "wire/scheme.h"

#include <gtest/gtest.h>

namespace ganscale::wire {
namespace {

TEST(Scheme, ReportsWhatItsRanksShare) {
  EXPECT_EQ(sharing_of("synchronous"), Sharing::kBatch);
  EXPECT_EQ(sharing_of("asynchronous"), Sharing::kRoles);
  EXPECT_EQ(sharing_of("per_label"), Sharing::kLabels);
}

TEST(Scheme, IsTheFirstByDefault) { EXPECT_EQ(sharing_of(""), Sharing::kBatch); }

}  // namespace
}  // namespace ganscale::wire
