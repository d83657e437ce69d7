#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/non_copyable.h"
#include "comm/group/group.h"

namespace ganscale::comm {

/// The gradients of one network in flat buckets, averaged over the ranks while the backward pass
/// still runs.
///
/// Autograd leaves each gradient where it was computed; once the last of a bucket is ready, all are
/// copied into it at once and are views of it from then on: fewer operations on a device than adding
/// each one to zeros. Buckets are filled in reverse order of `parameters`, roughly the order in which
/// the backward pass computes gradients. The all-reduce of a bucket starts then, always in bucket
/// order, which is the same on all ranks. A parameter that a phase does not reach (R1 reaches no
/// output bias) has a zero gradient, and its bucket is reduced in finish().
///
///   gradients.clear();
///   gradients.begin();         // before the last backward pass of a phase with several
///   gradients.backward(phase.loss(batch));
///   gradients.finish();        // every gradient is now the mean over the ranks
///   optimizer.step(lr);
///
/// Source:  the buckets of PyTorch's DistributedDataParallel, Li et al. 2020, arXiv:2006.15704,
///          Section 3.2, whose order is fixed as well.
/// Threads: backward passes of several ranks of one process may run concurrently.
class BucketedGradients : NonCopyable {
 public:
  /// parameters:   in order of registration (Module::parameters()), all dense leaves that require
  ///               gradients. Their gradients are replaced. A parameter belongs to at most one
  ///               BucketedGradients at a time.
  /// group:        the ranks to average over; must outlive this.
  /// bucket_bytes: the size at which a bucket is closed. A network that would fill only a few is
  ///               split into up to four buckets of at least 1 MB.
  BucketedGradients(std::vector<at::Tensor> parameters, Group& group, std::int64_t bucket_bytes);
  /// Removes the gradients and hooks from the parameters.
  ~BucketedGradients();

  /// Forgets all gradients: the next backward pass does not add to them.
  void clear();
  /// From now on, starts the all-reduce of a bucket once all of its parameters have a gradient from
  /// a single backward pass.
  void begin();
  /// Runs the backward pass of loss / size: this rank's part of the mean over the ranks.
  /// loss: a scalar; its graph is freed.
  void backward(const at::Tensor& loss);
  /// Starts the remaining all-reduces and waits for all of them.
  /// Throws: Error(kBug) if a gradient arrived after its bucket was reduced.
  void finish();

  /// Returns the flat buckets, for operations on all gradients at once (a norm, a check for NaN).
  /// The gaps between parameters are zero.
  std::vector<at::Tensor> buckets() const;

 private:
  struct State;
  class Hook;

  const std::shared_ptr<State> state_;
};

}  // namespace ganscale::comm
