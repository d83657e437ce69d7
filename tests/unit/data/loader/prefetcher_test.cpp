#include "data/loader/prefetcher.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <latch>

#include "data/sources/retrying_source.h"
#include "support/expect_error.h"
#include "support/throttled_source.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

using testing::ElementsAre;
using Records = std::vector<std::int64_t>;

constexpr std::uint64_t kSeed = 1000;
constexpr DecodePolicy kPolicy{.channels = 1, .resolution = 2};

/// threads: as many all the time; 0: as many as needed.
LoaderOptions make_options(int threads, int batch_per_rank = 4) {
  LoaderOptions options;
  options.share.batch_per_rank = batch_per_rank;
  options.prefetch.reader_threads = threads;
  options.prefetch.congestion_aware = threads == 0;
  return options;
}

/// The record numbers of a batch, not mirrored.
Records records_in(const Batch& batch) {
  Records records;
  for (std::int64_t j = 0; j < batch.images.size(0); ++j) {
    const auto* pixels = batch.images.data_ptr<std::uint8_t>() + 4 * j;
    records.push_back(pixels[0] + 256 * pixels[1]);
  }
  return records;
}

Records planned(const ShardPlan& plan, std::int64_t cursor, std::int64_t count) {
  Records records;
  for (std::int64_t i = 0; i < count; ++i) records.push_back(plan.record_at(cursor + i));
  return records;
}

/// Delays some records.
void jitter(std::int64_t index) {
  std::this_thread::sleep_for(std::chrono::microseconds((index * 7919) % 5 * 100));
}

TEST(Prefetcher, KeepsTheOrderOfThePlanWithAnyNumberOfThreads) {
  const ShardPlan plan(50, kSeed, true);
  for (const int threads : {1, 2, 7}) {
    FakeSource source(50);
    source.on_read = jitter;
    Prefetcher prefetcher(source, plan, kPolicy, make_options(threads));
    for (int batch = 0; batch < 30; ++batch) {
      EXPECT_EQ(records_in(prefetcher.next()), planned(plan, 4 * batch, 4)) << threads;
    }
    EXPECT_EQ(prefetcher.readings().reader_threads, threads);
  }
}

TEST(Prefetcher, ResumedAtItsPositionContinuesAsIfUninterrupted) {
  const FakeSource source(50, /*label_count=*/3);
  const ShardPlan plan(50, kSeed, true);
  auto options = make_options(3);
  options.label_count = 3;
  options.mirror = true;
  Prefetcher uninterrupted(source, plan, kPolicy, options);
  for (int batch = 0; batch < 17; ++batch) uninterrupted.next();
  options.first_position = uninterrupted.position();
  EXPECT_EQ(options.first_position, 68);
  Prefetcher resumed(source, plan, kPolicy, options);
  for (int batch = 0; batch < 17; ++batch) {
    const Batch expected = uninterrupted.next();
    const Batch batch_again = resumed.next();
    EXPECT_TRUE(batch_again.images.equal(expected.images));
    EXPECT_TRUE(batch_again.labels.equal(expected.labels));
  }
}

TEST(Prefetcher, GivesTheSameGlobalBatchesToAnyNumberOfRanks) {
  const FakeSource source(50);
  const ShardPlan plan(50, kSeed, true);
  for (const int world_size : {1, 2, 4}) {
    Records dealt(40);
    for (int rank = 0; rank < world_size; ++rank) {
      auto options = make_options(2, 8 / world_size);
      options.share.rank = rank;
      options.share.world_size = world_size;
      Prefetcher prefetcher(source, plan, kPolicy, options);
      for (std::int64_t batch = 0; batch < 5; ++batch) {
        const auto records = records_in(prefetcher.next());
        for (std::size_t j = 0; j < records.size(); ++j) {
          dealt[8 * batch + rank + j * world_size] = records[j];
        }
      }
    }
    EXPECT_EQ(dealt, planned(plan, 0, 40)) << world_size;
  }
}

TEST(Prefetcher, DeliversLabelsWithTheirImages) {
  const FakeSource source(50, 3);
  auto options = make_options(2);
  options.label_count = 3;
  Prefetcher prefetcher(source, ShardPlan(50, kSeed, true), kPolicy, options);
  for (int i = 0; i < 20; ++i) {
    const Batch batch = prefetcher.next();
    const auto records = records_in(batch);
    for (int j = 0; j < 4; ++j) EXPECT_EQ(batch.labels[j].item<std::int64_t>(), records[j] % 3);
  }
}

TEST(Prefetcher, WithoutLabelsLeavesThemUndefined) {
  const FakeSource source(50, 3);
  Prefetcher prefetcher(source, ShardPlan(50, kSeed, true), kPolicy, make_options(2));
  EXPECT_FALSE(prefetcher.next().labels.defined());
}

TEST(Prefetcher, MirrorsTheImagesOfThePlansCoin) {
  const FakeSource source(50);
  const ShardPlan plan(50, kSeed, false);
  auto options = make_options(2, 40);
  options.mirror = true;
  const Batch batch = Prefetcher(source, plan, kPolicy, options).next();
  int mirrored = 0;
  for (std::int64_t j = 0; j < 40; ++j) {
    const auto* p = batch.images.data_ptr<std::uint8_t>() + 4 * j;
    const int n = static_cast<int>(j);
    if (plan.mirrored(j)) {
      EXPECT_THAT(std::vector<int>(p, p + 4), ElementsAre(0, n, 0, 2 * n));
      ++mirrored;
    } else {
      EXPECT_THAT(std::vector<int>(p, p + 4), ElementsAre(n, 0, 2 * n, 0));
    }
  }
  EXPECT_GT(mirrored, 5);
  EXPECT_LT(mirrored, 35);
}

TEST(Prefetcher, AddsThreadsWhileTheSourceIsSlowAndGivesThemBack) {
  FakeSource source(1000);
  std::atomic<bool> slow = true;
  std::atomic<int> reading = 0;
  std::atomic<int> most_reading = 0;
  std::atomic<std::int64_t> reads = 0;
  source.on_read = [&](std::int64_t) {
    const int now = ++reading;
    for (int most = most_reading; now > most && !most_reading.compare_exchange_weak(most, now);) {
    }
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --reading;
    ++reads;
  };
  Prefetcher prefetcher(source, ShardPlan(1000, kSeed, true), kPolicy, make_options(/*auto*/ 0));
  const int threads_at_start = prefetcher.readings().reader_threads;
  const int depth_at_start = prefetcher.readings().depth;
  std::int64_t batches = 0;
  // The consumer does nothing else: it waits for each batch.
  for (; batches < 60; ++batches) prefetcher.next();
  EXPECT_GT(prefetcher.readings().reader_threads, threads_at_start);
  EXPECT_GT(prefetcher.readings().depth, depth_at_start);
  EXPECT_GT(most_reading, threads_at_start);
  EXPECT_GT(prefetcher.readings().wait_seconds, 0);

  // Now it comes only when all that may be ready is ready: it never waits.
  slow = false;
  const auto calm = [&] {
    const LoaderReadings now = prefetcher.readings();
    return now.reader_threads == threads_at_start && now.depth == depth_at_start;
  };
  for (int i = 0; i < 100000 && !calm(); ++i) {
    while (reads < 4 * (batches + prefetcher.readings().depth)) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    prefetcher.next();
    ++batches;
  }
  EXPECT_EQ(prefetcher.readings().reader_threads, threads_at_start);
  EXPECT_EQ(prefetcher.readings().depth, depth_at_start);
}

/// Returns a clock on which each look takes a millisecond, so that congestions come and go without
/// one of the wall.
ThrottledSource::Clock ticking(std::atomic<int>& looks) {
  return [&looks] { return 1e-3 * ++looks; };
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Most reads of a period of 200 are fast, the others take 3 ms; one in fifty fails at first.
TEST(Prefetcher, KeepsTheOrderAndTheImagesOnUnreliableStorage) {
  const FakeSource source(500, /*label_count=*/3);
  const ShardPlan plan(500, kSeed, true);
  auto options = make_options(0);
  options.label_count = 3;
  options.mirror = true;
  Prefetcher undisturbed(source, plan, kPolicy, options);
  std::atomic<int> looks = 0;
  const Throttle throttle{.latency = 30e-6,
                          .jitter = 300e-6,
                          .period = 0.2,
                          .congested_share = 0.3,
                          .error_probability = 0.02};
  const RetryingSource disturbed(
      std::make_unique<ThrottledSource>(source, throttle, ticking(looks), sleep_seconds),
      {.attempts = 100}, [](double) {});
  options.prefetch.thread_limit = 40;
  Prefetcher prefetcher(disturbed, plan, kPolicy, options);
  for (int i = 0; i < 300; ++i) {
    const Batch expected = undisturbed.next();
    const Batch batch = prefetcher.next();
    ASSERT_TRUE(batch.images.equal(expected.images)) << "batch " << i;
    ASSERT_TRUE(batch.labels.equal(expected.labels)) << "batch " << i;
  }
  EXPECT_GT(prefetcher.readings().source.repeated_reads, 0);
  EXPECT_LE(prefetcher.readings().reader_threads, 40);
}

TEST(Prefetcher, NamesTheRecordThatStorageLost) {
  const FakeSource source(50);
  auto throttled =
      std::make_unique<ThrottledSource>(source, Throttle{}, [] { return 0.0; }, sleep_seconds);
  throttled->lost = {6};
  const RetryingSource retrying(std::move(throttled), {}, [](double) {});
  Prefetcher prefetcher(retrying, ShardPlan(50, kSeed, false), kPolicy, make_options(2));
  prefetcher.next();
  expect_error(ExitCode::kData, "lost: fake, record 6", [&] { prefetcher.next(); });
}

TEST(Prefetcher, WithFixedShardsReadsItsRecordsAloneAndResumesAmongThem) {
  const FakeSource source(50);
  const ShardPlan plan(50, kSeed, true, Sharding::kFixed);
  auto options = make_options(3);
  options.share.rank = 1;
  options.share.world_size = 2;
  Prefetcher uninterrupted(source, plan, kPolicy, options);
  for (int i = 0; i < 9; ++i) {
    for (const std::int64_t record : records_in(uninterrupted.next())) EXPECT_EQ(record % 2, 1);
  }
  options.first_position = uninterrupted.position();
  Prefetcher resumed(source, plan, kPolicy, options);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(records_in(resumed.next()), records_in(uninterrupted.next()));
  }
}

TEST(Prefetcher, ReportsHowLongReadsTake) {
  FakeSource source(1000);
  source.on_read = [](std::int64_t) { sleep_seconds(0.002); };
  Prefetcher prefetcher(source, ShardPlan(1000, kSeed, true), kPolicy, make_options(2));
  for (int i = 0; i < 20; ++i) prefetcher.next();
  const LoaderReadings readings = prefetcher.readings();
  EXPECT_GE(readings.read_median_seconds, 0.002F);
  EXPECT_GE(readings.read_tail_seconds, readings.read_median_seconds);
  EXPECT_GT(readings.calm_tail_seconds, 0);
  EXPECT_LE(readings.batches_bytes, 3 * 16);
}

// Reads that end only when three are stuck, or after ten seconds: the readers of the configuration
// are two.
TEST(Prefetcher, DetectsCongestionInReadsThatDoNotEnd) {
  FakeSource source(1000);
  std::atomic<bool> gets_stuck = false;
  std::atomic<int> stuck = 0;
  source.on_read = [&](std::int64_t) {
    if (gets_stuck) ++stuck;
    int naps = 0;
    do {
      sleep_seconds(0.001);
    } while (gets_stuck && stuck < 3 && ++naps < 10000);
  };
  auto options = make_options(2);
  options.prefetch.congestion_aware = true;
  Prefetcher prefetcher(source, ShardPlan(1000, kSeed, true), kPolicy, options);
  for (int i = 0; i < 50; ++i) prefetcher.next();
  gets_stuck = true;
  for (int i = 0; i < 20; ++i) prefetcher.next();
  EXPECT_GE(prefetcher.readings().congestions, 1);
}

TEST(Prefetcher, NeverReadsFurtherAheadThanItsMemoryAllows) {
  FakeSource source(1000);
  std::atomic<std::int64_t> handed_out = 0;
  std::atomic<std::int64_t> reads = 0;
  std::atomic<std::int64_t> most_ahead = 0;
  source.on_read = [&](std::int64_t) {
    const std::int64_t ahead = ++reads - 4 * handed_out;
    for (std::int64_t most = most_ahead;
         ahead > most && !most_ahead.compare_exchange_weak(most, ahead);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  auto options = make_options(8);
  options.prefetch.batches = 10;
  options.prefetch.memory_limit_bytes = 4 * 16;  // a batch has 4 images of 4 bytes; one is recycled
  Prefetcher prefetcher(source, ShardPlan(1000, kSeed, true), kPolicy, options);
  EXPECT_EQ(prefetcher.readings().depth, 3);
  for (int i = 0; i < 100; ++i) {
    ++handed_out;
    prefetcher.next();
  }
  EXPECT_LE(most_ahead, 3 * 4);
}

TEST(Prefetcher, RefusesAMemoryLimitThatHoldsNoBatch) {
  const FakeSource source(50);
  auto options = make_options(1);
  options.prefetch.memory_limit_bytes = 15;
  expect_error(ExitCode::kConfig, "memory_limit is too small for a batch: 15 bytes, a batch has 16",
               [&] { Prefetcher(source, ShardPlan(50, kSeed, true), kPolicy, options); });
}

TEST(Prefetcher, RefusesFewerRecordsThanABatch) {
  const FakeSource source(7);
  auto options = make_options(1);
  options.share.world_size = 2;
  expect_error(ExitCode::kData, "fewer records than one batch: 7, batch 8",
               [&] { Prefetcher(source, ShardPlan(7, kSeed, true), kPolicy, options); });
}

TEST(Prefetcher, TakesADatasetOfOneBatch) {
  const FakeSource source(8);
  auto options = make_options(1);
  options.share.world_size = 2;
  Prefetcher prefetcher(source, ShardPlan(8, kSeed, true), kPolicy, options);
  EXPECT_EQ(prefetcher.next().images.size(0), 4);
}

TEST(Prefetcher, ThrowsTheFirstBadRecordWhenItsTurnComes) {
  FakeSource source(50);
  source.unreadable = {9, 10};
  std::latch later_one_is_read(1);
  source.on_read = [&](std::int64_t index) {
    if (index == 11) later_one_is_read.count_down();  // after 10, by the same thread
    if (index == 9) later_one_is_read.wait();
  };
  Prefetcher prefetcher(source, ShardPlan(50, kSeed, false), kPolicy, make_options(2));
  EXPECT_THAT(records_in(prefetcher.next()), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(records_in(prefetcher.next()), ElementsAre(4, 5, 6, 7));
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_error(ExitCode::kData, "checksum differs: fake, record 9", [&] { prefetcher.next(); });
  }
  EXPECT_EQ(prefetcher.position(), 8);
}

TEST(Prefetcher, NamesTheRecordThatItCannotDecode) {
  FakeSource source(50);
  source.undecodable = {2};
  Prefetcher prefetcher(source, ShardPlan(50, kSeed, false), kPolicy, make_options(2));
  expect_error(ExitCode::kData, ", wanted 2x2: fake, record 2", [&] { prefetcher.next(); });
}

TEST(Prefetcher, NamesTheRecordWhoseLabelIsOutOfRange) {
  const FakeSource source(50, 4);
  auto options = make_options(2);
  options.label_count = 3;
  Prefetcher prefetcher(source, ShardPlan(50, kSeed, false), kPolicy, options);
  expect_error(ExitCode::kData, "label out of range: 3, labels 3: fake, record 3",
               [&] { prefetcher.next(); });
}

TEST(Prefetcher, EndsWhileItsThreadsRead) {
  FakeSource source(1000);
  source.on_read = jitter;
  for (int i = 0; i < 20; ++i) {
    Prefetcher(source, ShardPlan(1000, kSeed, true), kPolicy, make_options(4));
  }
}

TEST(BatchBuffers, UsesABufferAgainOnceNoViewOfItIsLeft) {
  BatchBuffers buffers({2, 1, 2, 2}, /*pin_memory=*/false, /*keep_spare=*/true);
  at::Tensor first = buffers.lend(buffers.take());
  const void* memory = first.data_ptr();
  at::Tensor view = first[1];
  first.reset();
  buffers.recycle();
  const at::Tensor second = buffers.take();
  EXPECT_NE(second.data_ptr(), memory);
  view.reset();
  buffers.recycle();
  EXPECT_EQ(buffers.take().data_ptr(), memory);
}

TEST(ToModelInput, MapsBytesToMinusOneToOne) {
  Batch batch;
  batch.images = at::tensor({0, 51, 204, 255}, at::kByte).view({1, 1, 2, 2});
  batch.labels = at::tensor({3}, at::kLong);
  const Batch input = to_model_input(batch, at::kCPU, at::kFloat);
  const auto expected = at::tensor({-1.0, -0.6, 0.6, 1.0}, at::kFloat).view({1, 1, 2, 2});
  EXPECT_TRUE(at::allclose(input.images, expected, 0, 1e-7));
  EXPECT_EQ(input.labels.item<std::int64_t>(), 3);
  EXPECT_EQ(to_model_input(batch, at::kCPU, at::kBFloat16).images.scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace ganscale::data
