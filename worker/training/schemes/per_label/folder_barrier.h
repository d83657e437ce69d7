#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "base/non_copyable.h"
#include "training/loop/stop_signal.h"

namespace ganscale::training {

/// A barrier of ranks that send each other no messages for hours, through files of the run folder
/// that all of them share. A rank whose file stays the same is lost.
///
/// From construction to destruction each rank writes a line into ranks/rank-0003, eight times in
/// `timeout`: a number that grows, and how many barriers it has reached and passed. Rank 0 reads the
/// files of all, the others only rank 0's, which lets them pass. A rank that is told to stop writes
/// ranks/stop, which all read once a second.
class FolderBarrier : NonCopyable {
 public:
  /// run: the run folder. All ranks construct theirs, and then know that no line of an earlier
  /// start is left, before any of them waits.
  FolderBarrier(const std::filesystem::path& run, int rank, int size,
                std::chrono::milliseconds timeout);
  ~FolderBarrier();

  /// From now on passes a signal on: stops the other ranks if this one receives it, and this one if
  /// another did.
  ///
  /// stop:  must outlive this.
  /// start: greater than 0, the same on all ranks, and another one than of any earlier start.
  void share(const StopSignal& stop, std::int64_t start);

  /// Waits, for however long they take, until all ranks have reached it.
  /// Throws PeerLost, which names the rank, if one that has not did not write for `timeout`.
  void wait();

 private:
  void write_line();
  void write_lines(std::chrono::milliseconds every);
  void pass_stop_on() const;

  const std::filesystem::path folder_;
  const int rank_;
  const int size_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;  ///< of all below
  std::condition_variable ended_;
  bool is_ending_ = false;
  std::int64_t lines_ = 0;
  std::int64_t reached_ = 0;
  std::int64_t passed_ = 0;
  const StopSignal* stop_ = nullptr;  ///< null before share()
  std::int64_t start_ = 0;
  std::thread writer_;
};

}  // namespace ganscale::training
