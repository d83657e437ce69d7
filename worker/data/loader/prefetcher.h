#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/non_copyable.h"
#include "data/loader/batch.h"
#include "data/loader/batch_buffers.h"
#include "data/loader/data_config.h"
#include "data/loader/loader_readings.h"
#include "data/loader/prefetch_meter.h"
#include "data/loader/shard_plan.h"

namespace ganscale::data {

/// What one rank reads of the data stream.
struct LoaderOptions {
  RankShare share;
  std::int64_t first_position = 0;  ///< of the first batch: the cursor of a checkpoint
  std::int64_t label_count = 0;     ///< 0: batches without labels
  bool mirror = false;
  c10::Device device = c10::kCPU;  ///< of the model; batches for a GPU are in pinned memory
  PrefetchConfig prefetch;
};

/// Prefetches batches with several threads and returns them in plan order.
///
/// Each record is decoded directly into its batch. next_state() adapts the number of threads and
/// batches to how long storage takes, unless the configuration fixes it; the order does not depend
/// on it.
class Prefetcher : NonCopyable {
 public:
  /// Starts reading. The source must outlive the prefetcher.
  ///
  /// Throws: DataError if the plan has fewer records than a global batch; ConfigError if the memory
  ///         limit is too small for a batch.
  Prefetcher(const Source& source, ShardPlan plan, DecodePolicy policy, LoaderOptions options);
  /// Stops the threads; waits only for reads in progress.
  ~Prefetcher();

  /// Waits for the next batch, uint8 [batch_per_rank, C, H, W], and returns it. Reuses the memory
  /// of a batch that is no longer held.
  ///
  /// Throws: the error of the first bad record of this batch, after all earlier batches were
  ///         returned; a DataError names the record. Further calls throw it again.
  Batch next();

  /// Returns the stream position of the next batch.
  std::int64_t position() const { return next_position_; }
  LoaderReadings readings() const;

 private:
  // A batch in progress.
  struct Slot {
    Batch batch;
    std::uint8_t* pixels = nullptr;
    std::int64_t* labels = nullptr;
    std::int64_t first_position = 0;
    int claimed = 0;    // records assigned to threads
    int remaining = 0;  // unfinished records
    int failed_record = 0;
    std::exception_ptr error;  // of failed_record, the first that failed
  };

  // What a reader did with a record.
  struct Outcome {
    double read_seconds = 0;
    double busy_seconds = 0;
    std::exception_ptr error;
  };

  static constexpr double kNotReading = -1;
  struct Reader {
    std::thread thread;
    std::atomic<double> reading_since = kNotReading;
    bool has_ended = false;
  };

  void run_reader(Reader& reader);
  bool has_work() const;
  std::pair<Slot*, int> claim();
  void open_slot();
  Outcome read(Slot& slot, int image, Record& record, std::atomic<double>& reading_since) const;
  void fill(Slot& slot, int image, std::int64_t index, const Record& record) const;
  void finish(Slot& slot, int image, const Outcome& outcome);
  void wait_for_first_slot(std::unique_lock<std::mutex>& lock);
  void start_readers();
  void adapt(double now);

  const Source& source_;
  const ShardPlan plan_;
  const DecodePolicy policy_;
  const LoaderOptions options_;
  const std::int64_t image_bytes_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::condition_variable ready_;
  PrefetchMeter meter_;
  PrefetchLimits limits_;
  BatchBuffers buffers_;
  std::deque<std::unique_ptr<Slot>> slots_;  // front: the next to return
  std::int64_t opening_position_;            // of the next slot
  double wait_seconds_ = 0;
  int running_readers_ = 0;
  bool stopping_ = false;
  std::list<Reader> readers_;

  // Used by the consumer only.
  std::int64_t next_position_;
};

/// Returns the batch on `device` with images of floating-point `dtype` in [-1, 1]: x / 127.5 - 1,
/// computed in float32. The copy from pinned memory is asynchronous.
Batch to_model_input(const Batch& batch, at::Device device, at::ScalarType dtype);

}  // namespace ganscale::data
