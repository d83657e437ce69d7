#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace ganscale::device {

/// Work that is the same every time, so that a GPU repeats it by one launch: a CUDA graph. That
/// pays where launching the kernels one by one takes longer than computing them.
///
/// The host runs the work three times as any other, once more to record it, and then never again.
/// So the work reads all that changes from the memory of the device, neither waits for the device
/// nor copies from pageable memory, and leaves its results in tensors that it keeps; the next run
/// of this or other repeated work overwrites them. All of a process shares one stream and one pool
/// of memory, and runs one after another. A CPU runs the work every time.
///
/// Source: CUDA C++ Programming Guide, "CUDA Graphs".
class CudaGraph {
 public:
  /// device: the only one that the work computes on.
  CudaGraph(c10::Device device, std::function<void()> work);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Does the work, behind what the current stream holds and before what it is given next.
  /// Throws: DeviceError where the work cannot be recorded.
  void run();

 private:
  struct Capture;
  const std::function<void()> work_;
  const std::unique_ptr<Capture> capture_;  ///< none on a CPU
};

}  // namespace ganscale::device
