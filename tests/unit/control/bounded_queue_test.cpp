#include "control/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace ganscale {
namespace {

TEST(BoundedQueue, KeepsTheOrderAcrossThreads) {
  BoundedQueue<int> queue(2);
  const std::jthread producer([&] {
    for (int i = 0; i < 100; ++i) {
      while (!queue.try_push(i)) std::this_thread::yield();
    }
  });
  for (int expected = 0; expected < 100;) {
    if (const auto item = queue.try_pop()) {
      ASSERT_EQ(*item, expected++);
    } else {
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, RefusesAnItemWhenFull) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(4));
  EXPECT_EQ(queue.try_pop(), 2);
  EXPECT_EQ(queue.try_pop(), 4);
}

}  // namespace
}  // namespace ganscale
