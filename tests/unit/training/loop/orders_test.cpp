#include "training/loop/orders.h"

#include <gtest/gtest.h>

#include "comm/thread_group.h"

namespace ganscale::training {
namespace {

TEST(Orders, TheWishOfOneRankIsTheOrderOfAll) {
  comm::run_ranks(4, [](comm::Group& group) {
    Orders wishes;
    if (group.rank() == 2) wishes.stop = true;
    if (group.rank() == 0) wishes.checkpoint = true;
    const Orders orders = agree(group, wishes);
    EXPECT_TRUE(orders.stop);
    EXPECT_TRUE(orders.checkpoint);
    EXPECT_FALSE(orders.finish);
    EXPECT_FALSE(orders.spent);
    EXPECT_FALSE(orders.pause);
    EXPECT_FALSE(orders.fail);
    wishes = {};
    if (group.rank() == 1) wishes.spent = true;
    const Orders last = agree(group, wishes);
    EXPECT_TRUE(last.spent);
    EXPECT_TRUE(last.end());
    EXPECT_FALSE(last.stop);
    EXPECT_FALSE(last.checkpoint);
  });
}

}  // namespace
}  // namespace ganscale::training
