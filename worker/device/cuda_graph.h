#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

#include "base/non_copyable.h"

namespace ganscale::device {

/// Captures work as a CUDA graph and replays it with a single launch. Worth it if launching the
/// kernels one by one takes longer than running them.
///
/// The work runs three times as usual (warm-up), is captured on the next run, and only replayed
/// from then on. It must read everything that changes from device memory, neither wait for the
/// device nor copy from pageable memory, and leave its results in tensors that it keeps; the next
/// run of any graph overwrites them. All graphs of a process share one stream and one memory pool,
/// and run one after another. On a CPU the work runs as usual every time.
///
/// Source: CUDA C++ Programming Guide, "CUDA Graphs".
class CudaGraph : NonCopyable {
 public:
  /// device: the only device that the work uses.
  CudaGraph(c10::Device device, std::function<void()> work);
  ~CudaGraph();

  /// Runs the work in order with the current stream.
  /// Throws: DeviceError if the work cannot be captured, and what it throws itself. Nothing of a
  ///         failed capture is left.
  void run();

 private:
  struct Capture;
  const std::function<void()> work_;
  const std::unique_ptr<Capture> capture_;  ///< null on a CPU
};

}  // namespace ganscale::device
