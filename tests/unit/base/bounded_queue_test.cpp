#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace ganscale {
namespace {

TEST(BoundedQueue, KeepsTheOrderAcrossThreads) {
  BoundedQueue<int> queue(2);
  std::jthread producer([&] {
    for (int i = 0; i < 100; ++i) queue.push(i);
    queue.close();
  });
  int expected = 0;
  while (const auto item = queue.pop()) EXPECT_EQ(*item, expected++);
  EXPECT_EQ(expected, 100);
}

TEST(BoundedQueue, DrainsAfterCloseAndRefusesNewItems) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, CloseWakesAWaitingProducer) {
  BoundedQueue<int> queue(1);
  queue.push(1);
  std::jthread producer([&] { EXPECT_FALSE(queue.push(2)); });
  queue.close();
}

TEST(BoundedQueue, TryPopDoesNotWait) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

}  // namespace
}  // namespace ganscale
