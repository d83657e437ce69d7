#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

#include "comm/group/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::training {

/// The running mean of path lengths, the target of the regularization.
struct PathLengthMean {
  at::Tensor value;              ///< scalar; undefined if lengths are not regularized
  comm::Group* group = nullptr;  ///< the ranks to average over; null: only this rank
  /// On rank 0: the means that a checkpoint has of its ranks, [ranks], if each had its own; else
  /// undefined. take_restored() takes them.
  at::Tensor restored = {};
};

/// The checkpoint file with the means of all ranks, [ranks], if each has its own.
inline constexpr const char* kRegularizationOfRanks = "regularisation_of_ranks";
/// The tensor there, and in the file "regularisation", which has the mean of rank 0.
inline constexpr const char* kPathLengthMean = "path_length_mean";

/// Gives each rank the mean that a checkpoint has of it or, if the checkpoint is of another number
/// of ranks or ranks share their mean now, the mean of all that it has. Leaves the value alone if
/// rank 0 has restored none. Every rank calls it.
///
/// ranks: those that train the generator.
void take_restored(comm::Group& ranks, PathLengthMean& mean);

/// Adds the means of these ranks to the state of a checkpoint, if each has its own. Every rank calls
/// it.
void add_means_of_ranks(comm::Group& ranks, const PathLengthMean& mean,
                        std::map<std::string, NamedTensors>& state);

/// The number of path lengths: of the first images of the global batch, so that they do not
/// depend on the number of ranks. A rank may have none of them.
struct PathCount {
  std::int64_t here = 0;
  std::int64_t in_all = 0;
  int ranks = 1;
};

/// Returns the counts of rank `rank` of `ranks`, to which images rank, rank + ranks, ... of a batch
/// belong: in all batch / batch_shrink, but one at least.
PathCount path_count(std::int64_t batch, std::int64_t batch_shrink, int rank, int ranks);

/// Returns the mean length of all ranks' images, or of this rank's if it keeps to those; if
/// there are none, the running mean.
///
/// lengths: [count.here], attached to the graph.
at::Tensor mean_length(const at::Tensor& lengths, const PathCount& count,
                       const PathLengthMean& mean);

}  // namespace ganscale::training
