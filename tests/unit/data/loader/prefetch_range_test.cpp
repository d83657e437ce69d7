#include "data/loader/prefetch_range.h"

#include "support/expect_error.h"

namespace ganscale::data {
namespace {

constexpr std::int64_t kBytesOfImage = 1000;
constexpr std::int64_t kBatchOfRange = 10;
constexpr int kCores = 4;

PrefetchRange range_of(const PrefetchConfig& config) {
  return prefetch_range(config, kBytesOfImage, kBatchOfRange, kCores);
}

TEST(PrefetchRange, BeginsSmallAndAllowsFourThreadsACore) {
  const PrefetchRange range = range_of({});
  EXPECT_EQ(range.least, (PrefetchLimits{2, 3}));
  EXPECT_EQ(range.calm_threads, 16);
  EXPECT_EQ(range.most, (PrefetchLimits{256, 64}));
}

TEST(PrefetchRange, OfANumberOfThreadsAllowsMoreInACongestionAlone) {
  const PrefetchRange range = range_of({.reader_threads = 5});
  EXPECT_EQ(range.least.threads, 5);
  EXPECT_EQ(range.calm_threads, 5);
  EXPECT_EQ(range.most.threads, 100);
}

TEST(PrefetchRange, FollowsTheLimitOfThreads) {
  EXPECT_EQ(range_of({.reader_threads = 5, .thread_limit = 7}).most.threads, 7);
  const PrefetchRange range = range_of({.thread_limit = 1});
  EXPECT_EQ(range.least.threads, 1);
  EXPECT_EQ(range.calm_threads, 1);
  EXPECT_EQ(range.most.threads, 1);
}

TEST(PrefetchRange, IsFixedIfItIsNotAwareOfCongestion) {
  const PrefetchRange range = range_of({.reader_threads = 5, .congestion_aware = false});
  EXPECT_EQ(range.least, (PrefetchLimits{5, 3}));
  EXPECT_EQ(range.calm_threads, 5);
  EXPECT_EQ(range.most, range.least);
}

// Of 200,000 bytes a quarter holds the records of 50 threads, of which 48 are added: 152,000 remain
// for 15 batches, one of them in the consumer's hands.
TEST(PrefetchRange, KeepsBatchesAndAddedThreadsWithinTheMemory) {
  const PrefetchRange range =
      range_of({.reader_threads = 2, .thread_limit = 1000, .memory_limit_bytes = 200'000});
  EXPECT_EQ(range.most, (PrefetchLimits{50, 14}));
  EXPECT_LE((range.most.threads - 2) * kBytesOfImage +
                (range.most.depth + 1) * kBatchOfRange * kBytesOfImage,
            200'000);
}

TEST(PrefetchRange, OfLittleMemoryHasTheThreadsOfTheConfiguration) {
  const PrefetchRange range = range_of({.reader_threads = 8, .memory_limit_bytes = 10'000});
  EXPECT_EQ(range.least, (PrefetchLimits{8, 1}));
  EXPECT_EQ(range.most, range.least);
}

TEST(PrefetchRange, RefusesAMemoryLimitThatHoldsNoBatch) {
  expect_error(ExitCode::kConfig,
               "memory_limit is too small for a batch: 9999 bytes, a batch has 10000",
               [] { range_of({.memory_limit_bytes = 9999}); });
}

}  // namespace
}  // namespace ganscale::data
