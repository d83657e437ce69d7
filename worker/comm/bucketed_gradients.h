#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/group.h"

namespace ganscale::comm {

/// The gradients of one network, kept in flat buckets and averaged over the ranks while the
/// backward pass still runs.
///
/// Each parameter's gradient is a view of its bucket: nothing is copied. Buckets are filled in
/// reverse order of `parameters`, about the order in which the backward pass finishes them, and the
/// all-reduce of a bucket starts as soon as its last gradient is there, always in the order of the
/// buckets, which is the same on every rank. A parameter that a phase does not reach (R1 reaches no
/// output bias) has the gradient zero, and its bucket is sent at finish().
///
///   gradients.zero();
///   gradients.begin();         // before the last backward pass, where a phase has several
///   gradients.backward(phase.loss(batch));
///   gradients.finish();        // every gradient is now the mean over the ranks
///   optimizer.step(lr);
///
/// Source: the buckets of PyTorch's DistributedDataParallel, Li et al. 2020, arXiv:2006.15704,
/// section
///         3.2; there the order is also fixed.
/// Threads: backward passes of different ranks of one process may run side by side.
class BucketedGradients {
 public:
  /// parameters:   in the order of registration (Module::parameters()), each of them a dense leaf
  ///               that requires a gradient. Their gradients are replaced. A parameter belongs to
  ///               at most one BucketedGradients at a time.
  /// group:        the ranks to average over; it lives longer.
  /// bucket_bytes: a bucket is closed when it has as many; a small network, which would fill a few
  ///               only, is cut into up to four of at least 1 MB.
  BucketedGradients(std::vector<at::Tensor> parameters, Group& group, std::int64_t bucket_bytes);
  /// Takes the gradients and hooks from the parameters.
  ~BucketedGradients();
  BucketedGradients(const BucketedGradients&) = delete;
  BucketedGradients& operator=(const BucketedGradients&) = delete;

  /// Sets all gradients to zero.
  void zero();
  /// From now on the all-reduce of a bucket starts when all of its parameters have a gradient from
  /// one backward pass.
  void begin();
  /// Adds this rank's part of the gradients of a mean over the ranks: those of loss / size.
  /// loss: of one element; its graph is freed.
  void backward(const at::Tensor& loss);
  /// Starts the all-reduces that are still due and waits for all.
  /// Throws: Error(kBug) if a gradient came after its bucket was sent.
  void finish();

  /// Returns the flat buckets, for whatever looks at all gradients at once (a norm, a check for
  /// NaN). The gaps between parameters are zero.
  std::vector<at::Tensor> buckets() const;

 private:
  struct State;
  class Hook;

  const std::vector<at::Tensor> parameters_;
  const std::shared_ptr<State> state_;
};

}  // namespace ganscale::comm
