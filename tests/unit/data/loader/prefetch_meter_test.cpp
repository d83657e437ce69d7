#include "data/loader/prefetch_meter.h"

#include <gtest/gtest.h>

#include <vector>

namespace ganscale::data {
namespace {

constexpr PrefetchRange kMeterRange{{2, 3}, 2, {40, 20}};
constexpr int kMeterBatch = 4;

/// A meter whose training takes a batch of reads of 10 ms each tenth of a second: 40 records/s.
class PrefetchMeters : public testing::Test {
 protected:
  PrefetchMeters() { meter_.add_batch(now_); }

  void read(int count, double seconds = 0.01) {
    for (int i = 0; i < count; ++i) meter_.add_read(seconds, seconds);
  }
  void take_batch() {
    now_ += 0.1;
    read(kMeterBatch);
    meter_.add_batch(now_);
  }
  void end_interval(const std::vector<float>& ages = {}) { meter_.end_interval(now_, ages); }

  double now_ = 100;
  PrefetchMeter meter_{kMeterRange, kMeterBatch, now_ - 5};
};

TEST_F(PrefetchMeters, BeginWithTheLeast) {
  EXPECT_EQ(meter_.state().limits, kMeterRange.least);
  EXPECT_EQ(meter_.reads().tail, 0);
}

TEST_F(PrefetchMeters, EndAnIntervalWithTwoBatches) {
  take_batch();
  EXPECT_FALSE(meter_.is_over(now_));
  take_batch();
  EXPECT_TRUE(meter_.is_over(now_));
  end_interval();
  EXPECT_FALSE(meter_.is_over(now_));
  EXPECT_NEAR(meter_.state().records_per_second, 40, 1e-9);
}

TEST_F(PrefetchMeters, DoNotCountTheTimeBeforeTheFirstBatch) {
  take_batch();
  take_batch();
  end_interval();
  EXPECT_NEAR(meter_.state().records_per_second, 40, 1e-9) << "five seconds passed before";
}

TEST_F(PrefetchMeters, MakeAnIntervalLastFiveMilliseconds) {
  meter_.add_batch(now_ + 0.001);
  meter_.add_batch(now_ + 0.002);
  EXPECT_FALSE(meter_.is_over(now_ + 0.004));
  EXPECT_TRUE(meter_.is_over(now_ + 0.0051));
}

TEST_F(PrefetchMeters, WaitTenSecondsForBatchesOfAnUnknownRate) {
  EXPECT_EQ(meter_.latest_end(), now_ + 10);
}

// Two batches take 0.2 s.
TEST_F(PrefetchMeters, EndAnIntervalWhenItsBatchesAreLate) {
  take_batch();
  take_batch();
  end_interval();
  EXPECT_NEAR(meter_.latest_end(), now_ + 0.3, 1e-9);
  EXPECT_FALSE(meter_.is_over(now_ + 0.29));
  EXPECT_TRUE(meter_.is_over(now_ + 0.31));
}

TEST_F(PrefetchMeters, SlideByAnInterval) {
  read(10, 0.03);
  take_batch();
  take_batch();
  end_interval();
  EXPECT_NEAR(meter_.reads().slowest, 0.03, 1e-6);
  for (const double expected : {0.03, 0.01}) {
    take_batch();
    take_batch();
    end_interval();
    EXPECT_NEAR(meter_.reads().slowest, expected, 1e-6);
  }
}

// No read has ended, and yet the two that do not end show what storage is like.
TEST_F(PrefetchMeters, CountReadsInProgressWithTheirAge) {
  for (int i = 0; i < 8; ++i) {
    take_batch();
    if (meter_.is_over(now_)) end_interval();
  }
  for (int i = 0; i < 2; ++i) {
    now_ += 0.5;
    meter_.add_wait(0.5);
    end_interval({0.5F, 0.4F});
  }
  EXPECT_TRUE(meter_.state().congested);
  EXPECT_GT(meter_.state().limits.threads, kMeterRange.least.threads);
}

}  // namespace
}  // namespace ganscale::data
