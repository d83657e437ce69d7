#pragma once

#include "base/non_copyable.h"
#include "profile/event.h"

namespace ganscale::profile {

/// Records operators of this thread and, if there is a GPU, its kernels, through LibTorch's
/// profiler. One at a time in a process.
class OperatorProfiler : NonCopyable {
 public:
  OperatorProfiler() = default;
  ~OperatorProfiler();

  /// Starts to record.
  void start();
  /// Ends the recording, on the thread that started it, and returns it.
  Recording stop();
  bool is_recording() const { return begin_ns_ != 0; }

 private:
  std::int64_t begin_ns_ = 0;
};

}  // namespace ganscale::profile
