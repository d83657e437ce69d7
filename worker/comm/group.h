#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace ganscale::comm {

/// What the sums in the background have cost on this rank so far. The share hidden behind the
/// backward pass is 1 - exposed_seconds / busy_seconds.
struct AllReduceCost {
  std::int64_t bytes = 0;      ///< of the tensors, once per sum
  double busy_seconds = 0;     ///< from the start of each to its end, waiting for peers included
  double exposed_seconds = 0;  ///< that the rank stood still for them
};

/// The ranks that work together, and what they can do together: one interface for all back ends.
///
/// Every rank of the group calls the same operations in the same order with tensors of the same
/// shape and dtype. Tensors are contiguous, on the CPU or, with the NCCL back end, also on the
/// rank's GPU. sum and max take float32, float64, int32, int64 and uint8; what only moves takes
/// every dtype. A peer that hangs or dies ends the operation within the group's timeout (but for
/// barrier()): threads throw PeerLost, processes end with its exit code (see Watchdog).
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The back end's name: "threads", "mpi" or "nccl".
  virtual std::string_view backend() const = 0;

  /// Starts to replace `data` by its sum over the ranks; it may be read and written again after
  /// wait(). There is no mean: what divides by the number of ranks anyway, as the seed of a
  /// backward pass does, saves a pass over the memory that takes as long as the sum itself.
  virtual void all_reduce_async(const at::Tensor& data) = 0;
  /// Waits for every operation that was started; GPU back ends order the current stream behind
  /// them.
  virtual void wait() = 0;
  /// Ends the work of the group in order; every rank calls it, and the group is only dropped then.
  /// A group that is dropped without it, after an error, waits for nobody and breaks off what its
  /// peers still do.
  virtual void finish() = 0;
  virtual AllReduceCost all_reduce_cost() const = 0;
  /// Watches what the current stream holds until the device has done it: operations inside
  /// repeated work (device/cuda_graph.h) are neither watched nor timed one by one. A back end of
  /// the host has none.
  virtual void watch_stream() {}

  /// Waits until every rank is here, however long they take: the timeout does not hold.
  virtual void barrier() = 0;
  /// Replaces `data` by its sum over the ranks.
  virtual void all_reduce_sum(const at::Tensor& data) = 0;
  /// Replaces `data` by its element-wise maximum over the ranks.
  virtual void all_reduce_max(const at::Tensor& data) = 0;
  /// Replaces `data` by the value it has on rank `root`.
  virtual void broadcast(const at::Tensor& data, int root) = 0;
  /// Returns [size, ...data.shape]: every rank's `data` in rank order.
  virtual at::Tensor all_gather(const at::Tensor& data) = 0;
  /// Sends `data` to one rank. It may return before the other side receives, or only then.
  virtual void send(const at::Tensor& data, int destination) = 0;
  /// Replaces `data` by what `source` sends; messages of one rank arrive in the order of sending.
  virtual void receive(const at::Tensor& data, int source) = 0;

  /// Splits the group: the ranks of one color form a group of their own, in the order of their
  /// ranks here. Colors are not negative.
  virtual std::unique_ptr<Group> split(int color) = 0;
};

}  // namespace ganscale::comm
