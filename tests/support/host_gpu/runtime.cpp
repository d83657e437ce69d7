#include "support/host_gpu/runtime.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

struct CUstream_st {
  explicit CUstream_st(int of_device) : device(of_device) {}

  const int device;
  std::mutex mutex;
  std::condition_variable idle;
  std::deque<std::function<void()>> waiting;
  bool works = false;  // a thread works off what waits
};

namespace {

using Clock = std::chrono::steady_clock;

/// Set when a stream reaches the work that recorded an event.
class Completion {
 public:
  void set() {
    const std::scoped_lock lock(mutex_);
    time_ = Clock::now();
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return time_.has_value(); });
  }

  std::optional<Clock::time_point> time() {
    const std::scoped_lock lock(mutex_);
    return time_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Clock::time_point> time_;
};

thread_local int current_device = 0;

void work_off(CUstream_st& stream) {
  std::unique_lock lock(stream.mutex);
  while (!stream.waiting.empty()) {
    auto work = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // releases its tensors before the stream is idle
    lock.lock();
  }
  stream.works = false;
  stream.idle.notify_all();
}

}  // namespace

struct CUevent_st {
  std::shared_ptr<Completion> completion;  // of the last record; none before the first
};

namespace ganscale::host_gpu {

void enqueue(cudaStream_t stream, std::function<void()> work) {
  if (stream == nullptr) return work();
  const std::scoped_lock lock(stream->mutex);
  stream->waiting.push_back(std::move(work));
  // A thread for each burst of work: so none is left when the process ends, except in work that hangs.
  if (!std::exchange(stream->works, true)) std::thread([stream] { work_off(*stream); }).detach();
}

int device_of(cudaStream_t stream) { return stream == nullptr ? -1 : stream->device; }

}  // namespace ganscale::host_gpu

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = ganscale::host_gpu::kDeviceCount;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= ganscale::host_gpu::kDeviceCount) return cudaErrorInvalidDevice;
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  *stream = new CUstream_st(current_device);  // c10 keeps its pool of streams for good
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t /*stream*/, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (stream == nullptr) return cudaSuccess;
  const std::scoped_lock lock(stream->mutex);
  return stream->works ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream == nullptr) return cudaSuccess;
  std::unique_lock lock(stream->mutex);
  stream->idle.wait(lock, [&] { return !stream->works; });
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  if (const auto completion = event->completion) {
    ganscale::host_gpu::enqueue(stream, [completion] { completion->wait(); });
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned /*flags*/) {
  event->completion = std::make_shared<Completion>();
  ganscale::host_gpu::enqueue(stream, [completion = event->completion] { completion->set(); });
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return !event->completion || event->completion->time() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start->completion || !end->completion) return cudaErrorInvalidResourceHandle;
  const auto from = start->completion->time();
  const auto to = end->completion->time();
  if (!from || !to) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(*to - *from).count();
  return cudaSuccess;
}

}  // extern "C"
