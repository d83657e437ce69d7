#include "data/parquet/lru_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ganscale::data {
namespace {

struct Block {
  std::int64_t key = 0;
  std::int64_t bytes = 10;
  std::int64_t size_bytes() const { return bytes; }
};

class Blocks : public testing::Test {
 protected:
  std::int64_t get(std::int64_t key, std::int64_t size_bytes = 10) {
    return cache_
        .get(key, size_bytes,
             [&] {
               made_.push_back(key);
               return std::make_shared<const Block>(Block{key, size_bytes});
             })
        ->key;
  }

  LruCache<Block> cache_{30};
  std::vector<std::int64_t> made_;
};

TEST_F(Blocks, AreMadeOnceWhileTheyAreKept) {
  for (int i = 0; i < 3; ++i) {
    for (const int key : {1, 2, 3}) EXPECT_EQ(get(key), key);
  }
  EXPECT_THAT(made_, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(cache_.kept_bytes(), 30);
}

TEST_F(Blocks, UsedLongestAgoAreDroppedFirst) {
  for (const int key : {1, 2, 3, 1, 4, 1, 2}) EXPECT_EQ(get(key), key);
  EXPECT_THAT(made_, testing::ElementsAre(1, 2, 3, 4, 2));
  EXPECT_EQ(cache_.kept_bytes(), 30);
}

TEST_F(Blocks, LargerThanTheLimitAreKeptAlone) {
  for (const int key : {1, 2}) get(key);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(get(9, 100), 9);
  EXPECT_EQ(cache_.kept_bytes(), 100);
  get(1);
  EXPECT_EQ(cache_.kept_bytes(), 10);
  EXPECT_THAT(made_, testing::ElementsAre(1, 2, 9, 1));
}

TEST_F(Blocks, LargerThanExpectedLeaveNoMoreThanTheLimit) {
  get(1);
  get(2);
  cache_.get(3, 0, [] { return std::make_shared<const Block>(Block{3, 25}); });
  EXPECT_EQ(cache_.kept_bytes(), 25);
}

TEST_F(Blocks, ThatCouldNotBeMadeAreMadeAgain) {
  const auto fail = []() -> std::shared_ptr<const Block> { throw std::runtime_error("no"); };
  EXPECT_THROW(cache_.get(1, 10, fail), std::runtime_error);
  EXPECT_EQ(cache_.kept_bytes(), 0);
  EXPECT_EQ(get(1), 1);
}

TEST(BlocksOfThreads, AreMadeOnceForAllThreadsThatAskForThem) {
  LruCache<Block> cache(1000);
  std::atomic<int> made = 0;
  std::latch together(8);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        together.arrive_and_wait();
        cache.get(1, 10, [&] {
          ++made;
          std::this_thread::yield();
          return std::make_shared<const Block>();
        });
      });
    }
  }
  EXPECT_EQ(made, 1);
}

TEST(BlocksOfThreads, CountTowardTheLimitWhileBeingMade) {
  LruCache<Block> cache(30);
  std::atomic<std::int64_t> making = 0;
  std::atomic<bool> is_over = false;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 200; ++i) {
          const std::int64_t key = (i * (thread + 1)) % 17;
          cache.get(key, 10, [&] {
            if (making.fetch_add(10) > 20 || cache.kept_bytes() > 30) is_over = true;
            std::this_thread::yield();
            making.fetch_sub(10);
            return std::make_shared<const Block>(Block{key});
          });
        }
      });
    }
  }
  EXPECT_FALSE(is_over);
  EXPECT_LE(cache.kept_bytes(), 30);
}

}  // namespace
}  // namespace ganscale::data
