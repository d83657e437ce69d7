#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string_view>

namespace ganscale::comm {

/// The ranks that work together, and what they can do together: one interface for all back ends.
///
/// Every rank of the group calls the same operations in the same order with tensors of the same
/// shape and dtype. Tensors are contiguous, on the back end's device (threads, MPI: CPU; NCCL: the
/// rank's GPU). A peer that hangs or dies ends an operation with PeerLost within the group's
/// timeout (MPI and NCCL: see Watchdog).
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The back end's name: "threads", "mpi" or "nccl".
  virtual std::string_view backend() const = 0;

  /// Starts to replace `data` by its mean over the ranks; it may be read and written again after
  /// wait().
  virtual void mean_async(const at::Tensor& data) = 0;
  /// Waits for every operation that was started; GPU back ends order the current stream behind
  /// them.
  virtual void wait() = 0;

  /// Replaces `data` by its sum over the ranks.
  virtual void sum(const at::Tensor& data) = 0;
  /// Replaces `data` by its element-wise maximum over the ranks.
  virtual void max(const at::Tensor& data) = 0;
  /// Replaces `data` by the value it has on rank `root`.
  virtual void broadcast(const at::Tensor& data, int root) = 0;
  /// Returns [size, ...data.shape]: every rank's `data` in rank order.
  virtual at::Tensor all_gather(const at::Tensor& data) = 0;
  virtual void send(const at::Tensor& data, int destination) = 0;
  virtual void receive(const at::Tensor& data, int source) = 0;

  /// Splits the group: the ranks of one colour form a group of their own, in the order of their
  /// ranks here.
  virtual std::unique_ptr<Group> split(int color) = 0;
};

}  // namespace ganscale::comm
