#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "checkpoint/checkpoint_config.h"
#include "checkpoint/host_copy.h"
#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// What the writer has done so far: for metrics and for the line that people read.
struct WriterStatus {
  std::int64_t written_count = 0;
  std::int64_t failed_count = 0;
  std::chrono::duration<double> last_write{};  ///< of the newest one that succeeded
  std::chrono::system_clock::time_point last_success{};
  std::int64_t last_images_seen = 0;
  std::int64_t last_size_bytes = 0;
  std::string last_error;  ///< empty once a write has succeeded again
};

/// How long write() held up the training.
struct WritePause {
  std::chrono::duration<double> wait{};  ///< for the checkpoint before to be written
  std::chrono::duration<double> copy{};  ///< of the tensors into host memory
};

/// Writes the checkpoints of a run in the background, on rank 0.
///
/// There is one host copy and one write under way: a write() that comes sooner waits, so that none
/// is skipped and the memory is bounded; it logs a warning, because it holds up the training. After
/// each write, the checkpoints that keep_last and keep_best do not want are deleted.
///
/// A write that fails (disk full, read-only folder, ...) is logged and counted, and what was there
/// before stays. With on_error: stop, the next call of any member throws it.
///
/// One thread calls write() and wait(); status() may be called from any.
/// The destructor abandons a write that is under way; the orderly way out is wait().
class Writer {
 public:
  /// Removes what a killed run left in the run folder and starts the thread.
  Writer(std::filesystem::path run_folder, CheckpointConfig config);

  /// Makes the host memory for snapshots like this one. Called before the training starts, it
  /// spares the first write() that pause. Nothing is written.
  void prepare(const Snapshot& snapshot);

  /// Copies the snapshot and returns; the write goes on in the background.
  /// Throws: DataError of an earlier write with on_error: stop.
  WritePause write(const Snapshot& snapshot);

  /// Waits for the write under way; returns whether the newest write succeeded (true if there was
  /// none). Throws as write().
  bool wait();

  /// Adds what was measured after so many images to the checkpoint of that moment, where there is
  /// one, and deletes what keep_best then does not want. Waits for the write under way. If the
  /// manifest can't be written, a warning is all. Throws as write().
  void add_metrics(std::int64_t images_seen, const std::map<std::string, double>& metrics);

  /// Throws the error of an earlier write with on_error: stop. Cheap enough for every step.
  void throw_if_failed();

  WriterStatus status() const;

 private:
  void run(const std::stop_token& stop);
  void write_in_background(const std::stop_token& stop);
  void delete_old() const;
  void record_failure(const std::exception_ptr& failure, const std::string& reason, bool is_fatal);
  void throw_failure() const;

  const std::filesystem::path run_folder_;
  const CheckpointConfig config_;
  HostCopy host_copy_;  // the thread's while busy_, the caller's otherwise

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool busy_ = false;
  WriterStatus status_;
  std::exception_ptr failure_;  // that ends the run

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace ganscale::checkpoint
