#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace ganscale::comm {

/// The cost of asynchronous all-reduces on this rank so far. The part hidden behind the backward
/// pass is 1 - exposed_seconds / busy_seconds.
struct AllReduceCost {
  std::int64_t bytes = 0;      ///< of the reduced tensors
  double busy_seconds = 0;     ///< from start to end of each, including the wait for peers
  double exposed_seconds = 0;  ///< during which this rank waited for them
};

/// A process group: the ranks that work together and their collective operations, with one
/// interface for all backends.
///
/// All ranks call the same operations in the same order with tensors of the same shape and dtype.
/// Tensors are contiguous, on the CPU or, with the NCCL backend, also on the rank's GPU. Reductions
/// take float32, float64, int32, int64 and uint8; all other operations take any dtype. If a peer
/// hangs or dies, an operation (other than barrier()) fails within the group's timeout: threads
/// throw PeerLost, processes end with its exit code (see Watchdog).
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns the name of the backend: "threads", "mpi" or "nccl".
  virtual std::string_view backend() const = 0;

  /// Starts to replace `data` by its sum over the ranks. Do not read or write it before wait().
  /// There is no mean: scaling where the values are produced, such as the loss, saves a pass over
  /// memory that takes as long as the sum itself.
  virtual void all_reduce_async(const at::Tensor& data) = 0;
  /// Waits for all started operations. GPU backends make the current stream wait for them instead.
  virtual void wait() = 0;
  /// Shuts the group down; all ranks call it before they destroy the group, and after the CUDA
  /// graphs that hold its operations. A group that is destroyed without it, after an error, does
  /// not wait and aborts operations of its peers.
  virtual void finish() = 0;
  virtual AllReduceCost all_reduce_cost() const = 0;
  /// Has the watchdog watch the work on the current stream, since operations inside a CUDA graph
  /// (device/cuda_graph.h) are neither watched nor timed one by one. Does nothing on CPU backends.
  virtual void watch_stream() {}

  /// Waits until all ranks have reached the barrier. The timeout does not apply.
  virtual void barrier() = 0;
  /// Replaces `data` by its sum over the ranks.
  virtual void all_reduce_sum(const at::Tensor& data) = 0;
  /// Replaces `data` by its element-wise maximum over the ranks.
  virtual void all_reduce_max(const at::Tensor& data) = 0;
  /// Replaces `data` by rank `root`'s.
  virtual void broadcast(const at::Tensor& data, int root) = 0;
  /// Returns [size, ...data.shape]: every rank's `data` in rank order.
  virtual at::Tensor all_gather(const at::Tensor& data) = 0;
  /// Sends `data` to one rank. May or may not return before the receiver has it.
  virtual void send(const at::Tensor& data, int destination) = 0;
  /// Starts to send `data` to one rank; wait() completes it. Do not write it before. Until then other
  /// operations of this group may wait for the receiver; of another group, only those on a GPU.
  virtual void send_async(const at::Tensor& data, int destination) = 0;
  /// Replaces `data` by what `source` sends. Messages of a rank arrive in the order of sending.
  virtual void receive(const at::Tensor& data, int source) = 0;
  /// Returns whether `source` has begun to send a tensor of the CPU that this rank has not received.
  virtual bool can_receive(int source) = 0;

  /// Splits the group: ranks of the same color form a new group, in the order of their ranks in
  /// this one. Colors must not be negative.
  virtual std::unique_ptr<Group> split(int color) = 0;
};

}  // namespace ganscale::comm
