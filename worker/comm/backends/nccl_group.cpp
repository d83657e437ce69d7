#include "comm/backends/nccl_group.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "files/handle.h"

namespace ganscale::comm {
namespace {

/// Destroying the handle aborts the communicator: after an error a peer may be gone, and
/// ncclCommDestroy could wait for it forever. Normal shutdown is Group::finish(), on all ranks.
struct NcclCommTraits {
  using Raw = ncclComm_t;
  static Raw null() noexcept { return nullptr; }
  static void close(Raw comm) noexcept { ncclCommAbort(comm); }
};
using NcclComm = Handle<NcclCommTraits>;

using c10::cuda::CUDAEvent;
using c10::cuda::CUDAStream;

/// Returns whether the current stream is being captured: events are then nodes of the graph and
/// must not be queried.
bool is_recording() {
  return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
}

/// Two events of the GPU; the time between them is known once both have completed.
struct Interval {
  std::shared_ptr<CUDAEvent> from = std::make_shared<CUDAEvent>(cudaEventDefault);
  std::shared_ptr<CUDAEvent> to = std::make_shared<CUDAEvent>(cudaEventDefault);
};

/// Removes the completed intervals and returns their sum.
double take_seconds(std::deque<Interval>& intervals) {
  double seconds = 0;
  while (!intervals.empty() && intervals.front().from->query() && intervals.front().to->query()) {
    const auto& interval = intervals.front();
    // An operation that ended before the wait began costs nothing.
    seconds += std::max(0.0F, interval.from->elapsed_time(*interval.to)) / 1000.0;
    intervals.pop_front();
  }
  return seconds;
}

void require_nccl(ncclResult_t result, std::string_view call, ncclComm_t comm) {
  if (result == ncclSuccess) return;
  const std::string what =
      std::string(call) + " failed: " + ncclGetErrorString(result) + ": " + ncclGetLastError(comm);
  if (result == ncclRemoteError) throw PeerLost(what);
  throw DeviceError(what);
}

ncclDataType_t nccl_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat: return ncclFloat32;
    case at::kDouble: return ncclFloat64;
    case at::kHalf: return ncclFloat16;
    case at::kBFloat16: return ncclBfloat16;
    case at::kLong: return ncclInt64;
    case at::kInt: return ncclInt32;
    case at::kByte: return ncclUint8;
    default:
      check(false, std::string("NCCL can't reduce this dtype: ") + at::toString(dtype));
      return ncclNumTypes;
  }
}

/// A communicator that the watchdog's thread queries while the rank may destroy it.
struct Communicator {
  std::mutex mutex;
  NcclComm handle;
};

NcclComm open_communicator(Group& host, c10::Device device, Watchdog* watchdog) {
  const c10::cuda::CUDAGuard guard(device);
  const at::Tensor text = at::empty({static_cast<std::int64_t>(sizeof(ncclUniqueId))}, at::kByte);
  ncclUniqueId id{};
  if (host.rank() == 0) {
    require_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr);
    std::memcpy(text.mutable_data_ptr(), &id, sizeof id);
  }
  host.broadcast(text, 0);
  std::memcpy(&id, text.const_data_ptr(), sizeof id);
  ncclComm_t comm = nullptr;
  std::optional<Watchdog::Watch> watch;
  if (watchdog != nullptr) watch.emplace(watchdog->watch("ncclCommInitRank"));
  require_nccl(ncclCommInitRank(&comm, host.size(), id, host.rank()), "ncclCommInitRank", nullptr);
  return NcclComm(comm);
}

class NcclGroup final : public Group {
 public:
  /// stream: shared by all groups of a rank. Kernels of two communicators that run at the same time
  /// can wait for each other forever, unless all ranks run them in one order: as they are called,
  /// also inside a CUDA graph.
  NcclGroup(std::unique_ptr<Group> host, CUDAStream stream, std::shared_ptr<Watchdog> watchdog)
      : host_(std::move(host)),
        device_(stream.device()),
        watchdog_(std::move(watchdog)),
        stream_(stream),
        comm_(std::make_shared<Communicator>()) {
    comm_->handle = open_communicator(*host_, device_, watchdog_.get());
  }

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  std::string_view backend() const override { return "nccl"; }

  void all_reduce_async(const at::Tensor& data) override {
    if (data.is_cpu()) return host_->all_reduce_async(data);
    last_sum_ = launch("all_reduce_sum", data,
                       [&](ncclComm_t comm) { return all_reduce(data, ncclSum, comm); });
    if (is_recording()) return;
    sums_.push_back(last_sum_);
    if (size() > 1) cost_.bytes += static_cast<std::int64_t>(data.nbytes());
  }

  void wait() override {
    host_->wait();
    const bool recording = is_recording();
    if (last_sum_.to->isCreated()) {
      if (!recording) count_stall();
      last_sum_.to->block(current_stream());
      last_sum_ = {};
    }
    if (last_send_) std::exchange(last_send_, nullptr)->block(current_stream());
    if (!recording) take_times();
  }

  void watch_stream() override {
    if (!watchdog_) return;
    const auto end = std::make_shared<CUDAEvent>();
    end->record(current_stream());
    watch("repeated work", end);
  }

  void finish() override {
    host_->barrier();  // without a timeout: a rank may still write its last checkpoint
    std::optional<Watchdog::Watch> watch;
    if (watchdog_) watch.emplace(watchdog_->watch("finish"));
    host_->finish();
    wait();
    stream_.synchronize();
    NcclComm comm = take_communicator();  // which is aborted if a peer is lost meanwhile
    require_nccl(ncclCommFinalize(comm.get()), "ncclCommFinalize", comm.get());
    require_nccl(ncclCommDestroy(comm.release()), "ncclCommDestroy", nullptr);
  }

  AllReduceCost all_reduce_cost() const override {
    const auto host = host_->all_reduce_cost();
    return {cost_.bytes + host.bytes, cost_.busy_seconds + host.busy_seconds,
            cost_.exposed_seconds + host.exposed_seconds};
  }

  void barrier() override { host_->barrier(); }

  void all_reduce_sum(const at::Tensor& data) override {
    if (data.is_cpu()) return host_->all_reduce_sum(data);
    run("all_reduce_sum", data, [&](ncclComm_t comm) { return all_reduce(data, ncclSum, comm); });
  }

  void all_reduce_max(const at::Tensor& data) override {
    if (data.is_cpu()) return host_->all_reduce_max(data);
    run("all_reduce_max", data, [&](ncclComm_t comm) { return all_reduce(data, ncclMax, comm); });
  }

  void broadcast(const at::Tensor& data, int root) override {
    if (data.is_cpu()) return host_->broadcast(data, root);
    run("broadcast", data, [&](ncclComm_t comm) {
      return ncclBroadcast(data.data_ptr(), data.data_ptr(), data.nbytes(), ncclUint8, root, comm,
                           stream_.stream());
    });
  }

  at::Tensor all_gather(const at::Tensor& data) override {
    if (data.is_cpu()) return host_->all_gather(data);
    std::vector<std::int64_t> shape{size()};
    shape.insert(shape.end(), data.sizes().begin(), data.sizes().end());
    const at::Tensor all = data.detach().new_empty(shape);
    all.record_stream(stream_.unwrap());
    run("all_gather", data, [&](ncclComm_t comm) {
      return ncclAllGather(data.data_ptr(), all.data_ptr(), data.nbytes(), ncclUint8, comm,
                           stream_.stream());
    });
    return all;
  }

  void send(const at::Tensor& data, int destination) override {
    if (data.is_cpu()) return host_->send(data, destination);
    run("send", data, [&](ncclComm_t comm) {
      return ncclSend(data.data_ptr(), data.nbytes(), ncclUint8, destination, comm,
                      stream_.stream());
    });
  }

  void send_async(const at::Tensor& data, int destination) override {
    if (data.is_cpu()) return host_->send_async(data, destination);
    last_send_ = launch("send", data, [&](ncclComm_t comm) {
                   return ncclSend(data.data_ptr(), data.nbytes(), ncclUint8, destination, comm,
                                   stream_.stream());
                 }).to;
  }

  bool can_receive(int source) override { return host_->can_receive(source); }

  void receive(const at::Tensor& data, int source) override {
    if (data.is_cpu()) return host_->receive(data, source);
    run("receive", data, [&](ncclComm_t comm) {
      return ncclRecv(data.data_ptr(), data.nbytes(), ncclUint8, source, comm, stream_.stream());
    });
  }

  std::unique_ptr<Group> split(int color) override {
    return std::make_unique<NcclGroup>(host_->split(color), stream_, watchdog_);
  }

 private:
  NcclComm take_communicator() {
    const std::scoped_lock lock(comm_->mutex);
    return std::move(comm_->handle);
  }

  CUDAStream current_stream() const { return c10::cuda::getCurrentCUDAStream(device_.index()); }

  ncclResult_t all_reduce(const at::Tensor& data, ncclRedOp_t operation, ncclComm_t comm) const {
    return ncclAllReduce(data.data_ptr(), data.data_ptr(), static_cast<std::size_t>(data.numel()),
                         nccl_type(data.scalar_type()), operation, comm, stream_.stream());
  }

  /// Enqueues an operation after the work of the current stream.
  template <class Operation>
  Interval launch(std::string_view name, const at::Tensor& data, Operation operation) {
    check(data.device() == device_,
          "a tensor is on another device than its group: " + data.device().str());
    check(data.is_contiguous(), "a tensor of a group must be contiguous");
    const c10::cuda::CUDAGuard guard(device_);
    CUDAEvent ready;
    ready.record(current_stream());
    ready.block(stream_);
    const bool recording = is_recording();
    Interval interval;
    if (!recording) interval.from->record(stream_);
    ncclComm_t comm = comm_->handle.get();
    require_nccl(operation(comm), name, comm);
    interval.to->record(stream_);
    data.record_stream(stream_.unwrap());
    if (watchdog_ && !recording) watch(name, interval.to);
    return interval;
  }

  template <class Operation>
  void run(std::string_view name, const at::Tensor& data, Operation operation) {
    launch(name, data, operation).to->block(current_stream());
  }

  void watch(std::string_view name, const std::shared_ptr<CUDAEvent>& end) const {
    watchdog_->watch_until(name, [device = device_, end, comm = std::weak_ptr(comm_)] {
      // Else this would open a context on the first GPU, which belongs to another rank.
      c10::cuda::set_device(device.index());
      const auto alive = comm.lock();
      if (!alive || end->query()) return true;
      const std::scoped_lock lock(alive->mutex);
      ncclComm_t raw = alive->handle.get();
      if (raw == nullptr) return true;
      ncclResult_t error = ncclSuccess;
      require_nccl(ncclCommGetAsyncError(raw, &error), "ncclCommGetAsyncError", raw);
      require_nccl(error, "an operation", raw);
      return false;
    });
  }

  void count_stall() {
    Interval stall;
    stall.from->record(current_stream());
    stall.to = last_sum_.to;
    stalls_.push_back(stall);
  }

  void take_times() {
    cost_.busy_seconds += take_seconds(sums_);
    cost_.exposed_seconds += take_seconds(stalls_);
  }

  const std::unique_ptr<Group> host_;
  const c10::Device device_;
  const std::shared_ptr<Watchdog> watchdog_;
  const CUDAStream stream_;
  const std::shared_ptr<Communicator> comm_;
  Interval last_sum_;
  std::shared_ptr<CUDAEvent> last_send_;
  std::deque<Interval> sums_;
  std::deque<Interval> stalls_;
  AllReduceCost cost_;
};

}  // namespace

std::unique_ptr<Group> make_nccl_group(std::unique_ptr<Group> host, c10::Device device,
                                       std::shared_ptr<Watchdog> watchdog) {
  const auto stream = c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index());
  return std::make_unique<NcclGroup>(std::move(host), stream, std::move(watchdog));
}

std::string nccl_version() {
  int number = 0;
  if (ncclGetVersion(&number) != ncclSuccess) return "unknown";
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

}  // namespace ganscale::comm
