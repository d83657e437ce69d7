#include "training/loop/tick_readings.h"

#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

Readings loader_readings(double wait_seconds, int threads, double tail_seconds) {
  return {.loader = {.wait_seconds = wait_seconds,
                     .reader_threads = threads,
                     .read_tail_seconds = tail_seconds}};
}

// Rank 0 trains the generator and loads nothing; ranks 1 and 2 train the discriminator. In a tick
// of ten seconds they have waited 1 and 3 s for images, and 2 and 4 s for each other's gradients.
TEST(TickReadings, ComeFromTheRanksThatReadOrAverage) {
  comm::run_ranks(3, [](comm::Group& group) {
    Readings before;
    Readings now;
    if (group.rank() == 1) {
      before = loader_readings(5, 3, 0.5);
      now = loader_readings(6, 4, 0.25);
      now.all_reduce = {.bytes = 100, .exposed_seconds = 2};
    } else if (group.rank() == 2) {
      before = loader_readings(0, 3, 0.5);
      now = loader_readings(3, 2, 0.75);
      before.all_reduce = {.bytes = 50, .exposed_seconds = 1};
      now.all_reduce = {.bytes = 100, .exposed_seconds = 5};
    }
    const TickReadings read = gather_readings(group, before, now, /*seconds=*/10);
    EXPECT_NEAR(read.data_wait_share, 0.2, 1e-12);
    EXPECT_EQ(read.reader_threads, 4);
    EXPECT_EQ(read.read_tail_seconds, 0.75);
    EXPECT_NEAR(read.all_reduce_share, 0.3, 1e-12);
  });
}

TEST(TickReadings, AreZeroIfNoRankReadsOrAverages) {
  const auto alone = comm::make_single_group();
  const TickReadings read = gather_readings(*alone, {}, {}, /*seconds=*/1);
  EXPECT_EQ(read.data_wait_share, 0);
  EXPECT_EQ(read.reader_threads, 0);
  EXPECT_EQ(read.all_reduce_share, 0);
}

}  // namespace
}  // namespace ganscale::training
