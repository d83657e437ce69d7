#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "data/loader/batch.h"
#include "data/loader/batch_buffers.h"
#include "data/loader/data_config.h"
#include "data/loader/prefetch_depth.h"
#include "data/loader/shard_plan.h"

namespace ganscale::data {

/// What one rank wants of the stream.
struct LoaderOptions {
  RankShare share;
  std::int64_t first_position = 0;  ///< where the first batch starts: the cursor of a checkpoint
  std::int64_t label_count = 0;     ///< 0: batches without labels
  bool mirror = false;
  bool pin_memory = false;  ///< page-locked batches, for a CUDA device
  PrefetchConfig prefetch;
};

/// Reads batches ahead with several threads, and hands them out in the order of the plan whatever
/// the threads do.
///
/// Each record is read and decoded into its place of the batch. The number of threads and of
/// batches follows prefetch_depth() where the configuration leaves it open.
class Prefetcher {
 public:
  /// Starts to read. The source must outlive the prefetcher.
  ///
  /// Throws: DataError if the plan has fewer records than a global batch; ConfigError if the memory
  ///         limit holds no batch.
  Prefetcher(const Source& source, ShardPlan plan, DecodePolicy policy, LoaderOptions options);
  /// Ends the threads; waits for reads under way only.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Returns the next batch, uint8 [batch_per_rank, C, H, W]; waits for it. The memory of a batch
  /// that nobody holds any more is used again.
  ///
  /// Throws: what the first bad record of this batch threw, after all batches before it were handed
  ///         out; a DataError names the record. Called again, it throws again.
  Batch next();

  /// The stream position where the batch of the following next() starts.
  std::int64_t position() const { return next_position_; }
  /// Time that next() has waited, in total.
  double wait_seconds() const { return wait_seconds_.load(std::memory_order_relaxed); }
  /// Batches that may wait or be read at a time.
  int depth() const;
  /// Threads that read; one that was given back ends after the read it is in.
  int reader_threads() const;

 private:
  using Clock = std::chrono::steady_clock;

  // A batch on its way.
  struct Slot {
    Batch batch;
    std::uint8_t* pixels = nullptr;
    std::int64_t* labels = nullptr;
    std::int64_t first_position = 0;
    int claimed = 0;    // records handed to threads
    int remaining = 0;  // records not finished
    int failed_record = 0;
    std::exception_ptr error;  // of failed_record, the first that failed
  };

  void run_reader();
  bool has_work() const;
  std::pair<Slot*, int> claim();
  void open_slot();
  void fill(Slot& slot, int image, Record& record) const;
  void finish(Slot& slot, std::exception_ptr error, int image, float latency_seconds);
  void end_finished_threads();
  void start_threads();
  void adapt(double waited_seconds);

  const Source& source_;
  const ShardPlan plan_;
  const DecodePolicy policy_;
  const LoaderOptions options_;
  const std::int64_t image_bytes_;
  PrefetchLimits least_;
  PrefetchLimits most_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::condition_variable ready_;
  PrefetchLimits limits_;
  BatchBuffers buffers_;
  std::deque<std::unique_ptr<Slot>> slots_;  // front: the next to hand out
  std::int64_t opening_position_;            // of the next slot
  std::deque<float> latencies_seconds_;
  int running_threads_ = 0;
  bool stopping_ = false;
  std::vector<std::thread::id> finished_threads_;

  // The consumer's own.
  std::vector<std::thread> threads_;
  std::int64_t next_position_;
  std::atomic<double> wait_seconds_ = 0;
  Clock::time_point window_start_;
  int window_batches_ = -1;  // the first batch starts the clock
  double window_stall_seconds_ = 0;
};

/// Returns the batch on `device` with images of a floating `dtype` in [-1, 1]: x / 127.5 - 1,
/// computed in float32. From page-locked memory the copy does not wait.
Batch to_model_input(const Batch& batch, at::Device device, at::ScalarType dtype);

}  // namespace ganscale::data
