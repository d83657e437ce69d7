#include "controller/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;

const Key kA{"n", "a"};
const Key kB{"n", "b"};

TEST(WorkQueue, HoldsAKeyOnce) {
  WorkQueue queue({});
  queue.add(kA);
  queue.add(kA);
  queue.add(kB);
  EXPECT_EQ(queue.counts().depth, 2U);
  EXPECT_EQ(queue.get()->key, kA);
  EXPECT_EQ(queue.get()->key, kB);
}

TEST(WorkQueue, GivesAKeyToOneThreadAtATime) {
  WorkQueue queue({});
  queue.add(kA);
  EXPECT_EQ(queue.get()->key, kA);
  queue.add(kA);  // while it is being processed
  EXPECT_EQ(queue.counts().depth, 0U);
  queue.done(kA);
  ASSERT_EQ(queue.counts().depth, 1U);
  EXPECT_EQ(queue.get()->key, kA);
}

TEST(WorkQueue, GivesAKeyLaterAndTheEarliestTimeCounts) {
  WorkQueue queue({});
  queue.add_after(kA, std::chrono::hours(1));
  queue.add_after(kA, milliseconds(1));
  queue.add_after(kA, std::chrono::hours(2));
  EXPECT_EQ(queue.get()->key, kA);
}

TEST(WorkQueue, ComesBackAfterAFailure) {
  WorkQueue queue({.first = milliseconds(1), .longest = milliseconds(4)});
  for (int i = 0; i < 40; ++i) {
    queue.add_rate_limited(kA);
    EXPECT_EQ(queue.get()->key, kA);
    queue.done(kA);
  }
  EXPECT_EQ(queue.counts().retries, 40U);
  queue.forget(kA);
}

TEST(WorkQueue, ReleasesAllWaitersWhenItIsShut) {
  WorkQueue queue({});
  std::vector<std::thread> waiting;
  for (int i = 0; i < 4; ++i) waiting.emplace_back([&] { EXPECT_FALSE(queue.get()); });
  queue.shut_down();
  for (auto& thread : waiting) thread.join();
  queue.add(kA);
  EXPECT_FALSE(queue.get());
}

TEST(WorkQueue, LosesNothingBetweenManyThreads) {
  WorkQueue queue({});
  constexpr int kKeys = 200;
  std::atomic<int> seen{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue.get()) {
        ++seen;
        queue.done(item->key);
      }
    });
  }
  for (int i = 0; i < kKeys; ++i) queue.add({"n", std::to_string(i)});
  while (seen < kKeys) std::this_thread::yield();
  queue.shut_down();
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(seen, kKeys);
}

}  // namespace
}  // namespace ganscale::controller
