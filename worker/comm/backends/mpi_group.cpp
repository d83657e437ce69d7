#include "comm/backends/mpi_group.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "comm/backends/comm_thread.h"
#include "files/handle.h"
#include "profile/scopes.h"

namespace ganscale::comm {
namespace {

struct MpiCommTraits {
  using Raw = MPI_Comm;
  static Raw null() noexcept { return MPI_COMM_NULL; }
  static void close(Raw comm) noexcept { MPI_Comm_free(&comm); }
};
using MpiComm = Handle<MpiCommTraits>;

struct MpiTypeTraits {
  using Raw = MPI_Datatype;
  static Raw null() noexcept { return MPI_DATATYPE_NULL; }
  static void close(Raw type) noexcept { MPI_Type_free(&type); }
};
using MpiType = Handle<MpiTypeTraits>;

void require(int result, std::string_view call) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw PeerLost(std::string(call) +
                 " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

MpiComm owned(MPI_Comm comm) {
  MpiComm handle(comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return handle;
}

MPI_Datatype mpi_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat: return MPI_FLOAT;
    case at::kDouble: return MPI_DOUBLE;
    case at::kLong: return MPI_INT64_T;
    case at::kInt: return MPI_INT32_T;
    case at::kByte: return MPI_UINT8_T;
    default:
      check(false, std::string("MPI can't reduce this dtype: ") + at::toString(dtype));
      return MPI_DATATYPE_NULL;
  }
}

// Returns a type of `bytes` bytes: MPI counts are ints, so large tensors are sent as rows.
MpiType row_of(std::int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  require(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  MpiType row(type);
  require(MPI_Type_commit(&type), "MPI_Type_commit");
  return row;
}

// Waits for an operation. A blocking MPI call busy-waits for its peers on a core that the ranks of
// this machine need for their backward pass; this one polls, and sleeps for `pause` in between.
void await(MPI_Request request, std::chrono::microseconds pause = std::chrono::microseconds(20)) {
  constexpr int kEagerTests = 200;
  for (int tests = 0;; ++tests) {
    int done = 0;
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    if (tests < kEagerTests) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(pause);
    }
  }
}

// Waits until all ranks of the communicator are here.
void wait_for_all(MPI_Comm comm, std::chrono::microseconds pause = std::chrono::microseconds(20)) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
  await(request, pause);
}

// Calls `operation(first element, count)` for chunks of at most `limit` elements: MPI counts are
// ints.
template <class Operation>
void in_stretches(std::int64_t element_count, std::int64_t limit, Operation operation) {
  for (std::int64_t first = 0; first < element_count; first += limit) {
    operation(first, static_cast<int>(std::min(limit, element_count - first)));
  }
}

constexpr std::int64_t kMessageBytes = std::int64_t{1} << 30;

void reduce(MPI_Comm comm, const at::Tensor& data, MPI_Op operation) {
  const auto type = mpi_type(data.scalar_type());
  auto* memory = static_cast<std::byte*>(data.data_ptr());
  wait_for_all(comm);
  in_stretches(data.numel(), kMessageBytes / data.element_size(),
               [&](std::int64_t first, int count) {
                 require(MPI_Allreduce(MPI_IN_PLACE, memory + first * data.element_size(), count,
                                       type, operation, comm),
                         "MPI_Allreduce");
               });
}

class MpiGroup final : public Group {
 public:
  MpiGroup(MpiComm comm, std::shared_ptr<Watchdog> watchdog)
      : comm_(std::move(comm)), watchdog_(std::move(watchdog)) {
    require(MPI_Comm_rank(comm_.get(), &rank_), "MPI_Comm_rank");
    require(MPI_Comm_size(comm_.get(), &size_), "MPI_Comm_size");
  }

  ~MpiGroup() override {
    if (!thread_.idle()) comm_.release();  // an operation still uses it, possibly forever
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string_view backend() const override { return "mpi"; }

  void all_reduce_async(const at::Tensor& data) override {
    expect_usable(data);
    if (size_ == 1) return;
    cost_->bytes += static_cast<std::int64_t>(data.nbytes());
    submit("all_reduce_sum", [data, cost = cost_](MPI_Comm comm) {
      const Stopwatch watch;
      reduce(comm, data, MPI_SUM);
      const std::scoped_lock lock(cost->mutex);
      cost->busy_seconds += watch.seconds();
    });
  }

  void wait() override {
    RECORD_USER_SCOPE(profile::kAllReduceWait);
    const Stopwatch watch;
    thread_.wait();
    exposed_seconds_ += watch.seconds();
  }

  void finish() override { wait(); }

  AllReduceCost all_reduce_cost() const override {
    const std::scoped_lock lock(cost_->mutex);
    return {cost_->bytes, cost_->busy_seconds, exposed_seconds_};
  }

  void barrier() override {
    // This may take hours: the other ranks need the core more than this one needs a fast answer.
    thread_.submit([comm = comm_.get()] { wait_for_all(comm, std::chrono::milliseconds(10)); });
    thread_.wait();
  }

  void all_reduce_sum(const at::Tensor& data) override {
    run_reduction("all_reduce_sum", data, MPI_SUM);
  }
  void all_reduce_max(const at::Tensor& data) override {
    run_reduction("all_reduce_max", data, MPI_MAX);
  }

  void broadcast(const at::Tensor& data, int root) override {
    expect_usable(data);
    check(root >= 0 && root < size_, "no such rank: " + std::to_string(root));
    run("broadcast", [&](MPI_Comm comm) {
      wait_for_all(comm);
      in_messages(data, [&](void* bytes, int count) {
        require(MPI_Bcast(bytes, count, MPI_BYTE, root, comm), "MPI_Bcast");
      });
    });
  }

  at::Tensor all_gather(const at::Tensor& data) override {
    expect_usable(data);
    std::vector<std::int64_t> shape{size_};
    shape.insert(shape.end(), data.sizes().begin(), data.sizes().end());
    const at::Tensor all = data.detach().new_empty(shape);
    if (data.numel() == 0) return all;
    const std::int64_t row_count = data.dim() == 0 ? 1 : data.size(0);
    const auto row_bytes = static_cast<std::int64_t>(data.nbytes()) / row_count;
    check(std::max(row_count, row_bytes) <= std::numeric_limits<int>::max(),
          "a tensor has more or longer rows than MPI can gather: " + std::to_string(row_count) +
              " of " + std::to_string(row_bytes) + " bytes");
    const MpiType row = row_of(row_bytes);
    run("all_gather", [&](MPI_Comm comm) {
      wait_for_all(comm);
      require(MPI_Allgather(data.const_data_ptr(), static_cast<int>(row_count), row.get(),
                            all.data_ptr(), static_cast<int>(row_count), row.get(), comm),
              "MPI_Allgather");
    });
    return all;
  }

  void send(const at::Tensor& data, int destination) override {
    send_async(data, destination);
    thread_.wait();
  }

  void send_async(const at::Tensor& data, int destination) override {
    expect_peer(data, destination);
    submit("send", [data, destination](MPI_Comm comm) {
      in_messages(data, [&](void* bytes, int count) {
        MPI_Request request = MPI_REQUEST_NULL;
        require(MPI_Isend(bytes, count, MPI_BYTE, destination, 0, comm, &request), "MPI_Isend");
        await(request);
      });
    });
  }

  void receive(const at::Tensor& data, int source) override {
    expect_peer(data, source);
    run("receive", [&](MPI_Comm comm) {
      in_messages(data, [&](void* bytes, int count) {
        MPI_Request request = MPI_REQUEST_NULL;
        require(MPI_Irecv(bytes, count, MPI_BYTE, source, 0, comm, &request), "MPI_Irecv");
        await(request);
      });
    });
  }

  bool can_receive(int source) override {
    int found = 0;
    run("can_receive", [&](MPI_Comm comm) {
      require(MPI_Iprobe(source, 0, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    });
    return found != 0;
  }

  std::unique_ptr<Group> split(int color) override {
    check(color >= 0, "a color must not be negative: " + std::to_string(color));
    MPI_Comm part = MPI_COMM_NULL;
    run("split", [&](MPI_Comm comm) {
      wait_for_all(comm);
      require(MPI_Comm_split(comm, color, rank_, &part), "MPI_Comm_split");
    });
    return std::make_unique<MpiGroup>(owned(part), watchdog_);
  }

 private:
  struct Cost {  // shared with the communication thread
    std::mutex mutex;
    std::int64_t bytes = 0;  // the caller's
    double busy_seconds = 0;
  };

  static void expect_usable(const at::Tensor& data) {
    check(data.device().is_cpu(), "MPI takes CPU tensors: " + data.device().str());
    check(data.is_contiguous(), "a tensor of a group must be contiguous");
  }

  void expect_peer(const at::Tensor& data, int peer) const {
    expect_usable(data);
    check(peer >= 0 && peer < size_ && peer != rank_, "no such peer: " + std::to_string(peer));
  }

  template <class Operation>
  static void in_messages(const at::Tensor& data, Operation operation) {
    auto* bytes = static_cast<std::byte*>(data.data_ptr());
    in_stretches(static_cast<std::int64_t>(data.nbytes()), kMessageBytes,
                 [&](std::int64_t first, int count) { operation(bytes + first, count); });
  }

  template <class Operation>
  void submit(std::string_view name, Operation operation) {
    thread_.submit(
        [operation = std::move(operation), name, comm = comm_.get(), watchdog = watchdog_] {
          const auto watch = watchdog->watch(name);
          operation(comm);
        });
  }

  template <class Operation>
  void run(std::string_view name, Operation operation) {
    submit(name, std::move(operation));
    thread_.wait();
  }

  void run_reduction(std::string_view name, const at::Tensor& data, MPI_Op operation) {
    expect_usable(data);
    mpi_type(data.scalar_type());  // refuses a dtype before any rank waits
    if (size_ == 1) return;
    RECORD_USER_SCOPE(profile::kAllReduceWait);
    run(name, [&](MPI_Comm comm) { reduce(comm, data, operation); });
  }

  MpiComm comm_;
  const std::shared_ptr<Watchdog> watchdog_;
  const std::shared_ptr<Cost> cost_ = std::make_shared<Cost>();
  int rank_ = 0;
  int size_ = 1;
  double exposed_seconds_ = 0;
  CommThread thread_;
};

}  // namespace

std::unique_ptr<Group> open_mpi_world(std::shared_ptr<Watchdog> watchdog) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm world = MPI_COMM_NULL;
  require(MPI_Comm_dup(MPI_COMM_WORLD, &world), "MPI_Comm_dup");
  return std::make_unique<MpiGroup>(owned(world), std::move(watchdog));
}

RankInfo mpi_rank_info() {
  MPI_Comm machine = MPI_COMM_NULL;
  require(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
          "MPI_Comm_split_type");
  const MpiComm handle = owned(machine);
  RankInfo rank_info;
  require(MPI_Comm_rank(MPI_COMM_WORLD, &rank_info.rank), "MPI_Comm_rank");
  require(MPI_Comm_rank(handle.get(), &rank_info.local_rank), "MPI_Comm_rank");
  require(MPI_Comm_size(handle.get(), &rank_info.local_size), "MPI_Comm_size");
  return rank_info;
}

}  // namespace ganscale::comm
