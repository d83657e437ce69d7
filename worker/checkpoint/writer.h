#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "checkpoint/checkpoint_config.h"
#include "checkpoint/host_copy.h"
#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// What the writer has done so far.
struct WriterStatus {
  std::int64_t written_count = 0;
  std::int64_t failed_count = 0;
  std::chrono::duration<double> last_write{};  ///< of the latest successful write
  std::chrono::system_clock::time_point last_success{};
  std::int64_t last_images_seen = 0;
  std::string last_error;  ///< empty after a successful write
};

/// How long write() blocked the training.
struct WritePause {
  std::chrono::duration<double> wait{};  ///< for the previous write
  std::chrono::duration<double> copy{};  ///< of the tensors into host memory
};

/// Writes the checkpoints of a run in the background, on rank 0.
///
/// There is one host copy and at most one write in progress. An earlier write() blocks, so that no
/// checkpoint is skipped and memory is bounded, and logs a warning. After each write, checkpoints
/// that keep_last and keep_best do not retain are deleted, and what an earlier deletion left.
/// Before that, those of earlier processes are read once: a corrupt one must not be the reason to
/// delete a valid one.
///
/// A failed write (disk full, read-only folder, ...) is tried once more, since the cause may be
/// transient, after what is not retained is deleted; then it is logged and counted, and earlier
/// checkpoints stay. With on_error: stop, the next call of any member throws the error.
///
/// One thread calls write() and wait(); is_busy() and status() are thread safe.
/// The destructor abandons a write in progress; call wait() to complete it.
class Writer {
 public:
  /// Removes what killed runs left and starts the thread.
  ///
  /// may_write: asked by the thread before a checkpoint is written, and before it takes its name.
  /// If it throws DataError, since it could not find out, that counts as a failed write. If it
  /// throws anything else, nothing more is written, and the next call of any member throws the
  /// error. add_metrics() asks it, too: it warns of a DataError and throws others at once.
  Writer(
      std::filesystem::path run_folder, CheckpointConfig config,
      std::function<void()> may_write = [] {});

  /// Allocates host memory for snapshots like this one before the training starts, so that the
  /// first write() does not have to. Writes nothing.
  void prepare(const Snapshot& snapshot);

  /// Copies the snapshot and returns; it is written in the background.
  /// Throws: DataError of an earlier write with on_error: stop.
  WritePause write(const Snapshot& snapshot);

  /// Waits for the write in progress. Returns whether the latest write succeeded (true if there was
  /// none). Throws like write().
  bool wait();

  /// Adds metrics to the checkpoint of `images_seen` images, if there is one, and deletes those
  /// that keep_best does not retain any more. Waits for the write in progress. Logs a warning if
  /// the manifest can't be written. Throws like write(), and what may_write throws other than
  /// DataError.
  void add_metrics(std::int64_t images_seen, const std::map<std::string, double>& metrics);

  /// Throws the error of an earlier write with on_error: stop. Cheap enough for every step.
  void throw_if_failed();
  /// Whether throw_if_failed() would throw.
  bool has_failed() const;

  /// Whether write() would wait for the write in progress.
  bool is_busy() const;

  WriterStatus status() const;

 private:
  void run(const std::stop_token& stop);
  void write_or_retry(const std::stop_token& stop);
  void write_in_background(const std::stop_token& stop);
  void delete_old();
  void record_failure(const std::exception_ptr& failure, const std::string& reason, bool is_fatal);
  void throw_failure() const;

  const std::filesystem::path run_folder_;
  const CheckpointConfig config_;
  const std::function<void()> may_write_;
  // Owned by the thread while busy_, by the caller otherwise:
  HostCopy host_copy_;
  std::set<std::string> verified_;  // names of checkpoints whose bytes are known to be valid

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool busy_ = false;
  WriterStatus status_;
  std::exception_ptr failure_;  // that ends the run

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace ganscale::checkpoint
