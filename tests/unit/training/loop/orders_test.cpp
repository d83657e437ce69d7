#include "training/loop/orders.h"

#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

TEST(Orders, TheWishOfOneRankIsTheOrderOfAll) {
  comm::run_ranks(4, [](comm::Group& group) {
    Orders requests;
    if (group.rank() == 2) requests.stop = true;
    if (group.rank() == 0) requests.checkpoint = true;
    const Orders orders = agree(group, requests);
    EXPECT_TRUE(orders.stop);
    EXPECT_TRUE(orders.checkpoint);
    EXPECT_FALSE(orders.finish);
    EXPECT_FALSE(orders.spent);
    EXPECT_FALSE(orders.pause);
    EXPECT_FALSE(orders.fail);
    requests = {};
    if (group.rank() == 1) requests.spent = true;
    const Orders last = agree(group, requests);
    EXPECT_TRUE(last.spent);
    EXPECT_TRUE(last.end());
    EXPECT_FALSE(last.stop);
    EXPECT_FALSE(last.checkpoint);
  });
}

}  // namespace
}  // namespace ganscale::training
