#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include "base/error.h"
#include "device/repeated_work.h"

namespace ganscale::device {
namespace {

using c10::cuda::CUDAEvent;
using c10::cuda::CUDAStream;

/// In these, libraries choose their algorithms and connections are opened.
constexpr int kOrdinaryRuns = 3;

/// The stream of all recorded work: the default one cannot be recorded.
CUDAStream stream_of_records(c10::Device device) {
  static const CUDAStream kStream =
      c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
  check(kStream.device() == device, "the repeated work of a process is of one GPU");
  return kStream;
}

at::cuda::MempoolId_t pool_of_records() {
  static const auto kPool = at::cuda::graph_pool_handle();
  return kPool;
}

/// Has `later` wait for what `earlier` holds.
void order(const CUDAStream& earlier, const CUDAStream& later) {
  CUDAEvent here;
  here.record(earlier);
  here.block(later);
}

}  // namespace

struct RepeatedWork::Graph {
  explicit Graph(CUDAStream side) : stream(side) {}

  void run_once(const std::function<void()>& work) {
    const CUDAStream current = c10::cuda::getCurrentCUDAStream(stream.device_index());
    order(current, stream);
    {
      const c10::cuda::CUDAStreamGuard guard(stream);
      work();
    }
    order(stream, current);
  }

  void record(const std::function<void()>& work) {
    // The memory of the ordinary runs would stay in a pool that the recorded work doesn't use.
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    const c10::cuda::CUDAStreamGuard guard(stream);
    try {
      // Other threads, such as a watchdog's, go on asking for their events.
      recorded.capture_begin(pool_of_records(), cudaStreamCaptureModeThreadLocal);
      work();
      recorded.capture_end();
    } catch (const c10::Error& error) {
      throw DeviceError(std::string("work cannot be recorded as a CUDA graph: ") +
                        error.what_without_backtrace());
    }
  }

  const CUDAStream stream;
  int runs = 0;
  at::cuda::CUDAGraph recorded;
};

RepeatedWork::RepeatedWork(c10::Device device, std::function<void()> work)
    : work_(std::move(work)),
      graph_(device.is_cuda() ? std::make_unique<Graph>(stream_of_records(device)) : nullptr) {}

RepeatedWork::~RepeatedWork() = default;

void RepeatedWork::run() {
  if (!graph_) return work_();
  if (graph_->runs < kOrdinaryRuns) {
    graph_->run_once(work_);
  } else {
    if (graph_->runs == kOrdinaryRuns) graph_->record(work_);
    graph_->recorded.replay();
  }
  ++graph_->runs;
}

}  // namespace ganscale::device
