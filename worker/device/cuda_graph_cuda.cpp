#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include "base/error.h"
#include "device/abandon_capture.h"
#include "device/cuda_graph.h"

namespace ganscale::device {
namespace {

using c10::cuda::CUDAEvent;
using c10::cuda::CUDAStream;

/// Libraries choose their algorithms and open connections in these.
constexpr int kWarmupRuns = 3;

/// The stream of all captures: the default stream cannot be captured.
CUDAStream capture_stream(c10::Device device) {
  static const CUDAStream kStream =
      c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
  check(kStream.device() == device, "the repeated work of a process is of one GPU");
  return kStream;
}

using MemoryPool = std::shared_ptr<const at::cuda::MempoolId_t>;

/// Returns the pool of all graphs that there are. LibTorch closes a pool when its last graph is
/// destroyed, and refuses to capture into it from then on.
MemoryPool memory_pool() {
  static std::weak_ptr<const at::cuda::MempoolId_t> in_use;
  MemoryPool pool = in_use.lock();
  if (!pool) {
    pool = std::make_shared<const at::cuda::MempoolId_t>(at::cuda::graph_pool_handle());
    in_use = pool;
  }
  return pool;
}

/// Makes `later` wait for the work on `earlier`.
void order(const CUDAStream& earlier, const CUDAStream& later) {
  CUDAEvent here;
  here.record(earlier);
  here.block(later);
}

/// What the allocators of the device's and of pinned memory keep for a capture.
struct PoolOfCapture {
  c10::DeviceIndex device;
  at::cuda::MempoolId_t id;

  void end_allocation() const {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(device, id);
    at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(id);
  }
  void release_pool() const {
    c10::cuda::CUDACachingAllocator::releasePool(device, id);
    at::getHostAllocator(at::kCUDA)->release_pool(id);
  }
};

}  // namespace

struct CudaGraph::Capture {
  explicit Capture(CUDAStream side) : stream(side) {}

  void run_eagerly(const std::function<void()>& work) {
    const CUDAStream current = c10::cuda::getCurrentCUDAStream(stream.device_index());
    order(current, stream);
    {
      const c10::cuda::CUDAStreamGuard guard(stream);
      work();
    }
    order(stream, current);
  }

  void capture(const std::function<void()>& work) {
    // Memory of the warm-up runs would stay in a pool that the graph doesn't use.
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    const c10::cuda::CUDAStreamGuard guard(stream);
    // Other threads, such as a watchdog's, keep querying their events.
    pool = memory_pool();
    try {
      graph.capture_begin(*pool, cudaStreamCaptureModeThreadLocal);
      work();
      graph.capture_end();
    } catch (const c10::OutOfMemoryError&) {
      abandon();
      throw;
    } catch (const c10::Error& error) {
      abandon();
      throw DeviceError(std::string("cannot capture a CUDA graph: ") +
                        error.what_without_backtrace());
    } catch (...) {
      abandon();
      throw;
    }
  }

  /// Ends a capture that failed and destroys what it has recorded: NCCL waits forever to abort a
  /// communicator whose operations are in a graph.
  void abandon() {
    PoolOfCapture of_capture{stream.device_index(), *pool};
    abandon_capture(graph, of_capture);
    pool.reset();
  }

  const CUDAStream stream;
  int runs = 0;
  MemoryPool pool;  ///< outlives the graph
  at::cuda::CUDAGraph graph;
};

CudaGraph::CudaGraph(c10::Device device, std::function<void()> work)
    : work_(std::move(work)),
      capture_(device.is_cuda() ? std::make_unique<Capture>(capture_stream(device)) : nullptr) {}

CudaGraph::~CudaGraph() = default;

void CudaGraph::run() {
  if (!capture_) return work_();
  if (capture_->runs < kWarmupRuns) {
    capture_->run_eagerly(work_);
  } else {
    if (capture_->runs == kWarmupRuns) capture_->capture(work_);
    capture_->graph.replay();
  }
  ++capture_->runs;
}

}  // namespace ganscale::device
