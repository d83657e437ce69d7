#pragma once

#include <torch/nn/module.h>

#include "comm/group.h"

namespace ganscale::models {

/// What a batch norm's moments are taken over while training.
enum class BatchNormMode {
  kLocal,         ///< this rank's part of the batch
  kSynchronized,  ///< the whole batch, over all ranks: the same result on any world size
  kFrozen,        ///< nothing: the running statistics serve as in eval mode, and stay
};

struct BatchNormOptions {
  BatchNormMode mode = BatchNormMode::kLocal;
  /// The ranks of kSynchronized; nullptr: this rank is alone. Outlives the layer.
  comm::Group* group = nullptr;
};

/// Normalizes each channel to mean 0 and variance 1, then scales and shifts it.
///
/// Paper:      Ioffe & Szegedy 2015, arXiv:1502.03167, Algorithm 1.
/// Parameters: weight [C], bias [C]. Buffers: running_mean [C], running_var [C] (of the unbiased
///             variance), num_batches_tracked [] int64, as in PyTorch.
class BatchNorm : public torch::nn::Module {
 public:
  BatchNorm(std::int64_t channels, double epsilon, double momentum,
            const BatchNormOptions& options);

  /// x: [N, C, H, W], any memory format, which the result keeps, as the dtype; moments of a reduced
  /// dtype are taken in float32. In training mode every call moves the running statistics; with
  /// kSynchronized all ranks call it together with equal shapes.
  at::Tensor forward(const at::Tensor& x);

 private:
  at::Tensor synchronized(const at::Tensor& x);

  double epsilon_;
  double momentum_;
  BatchNormOptions options_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_var_;
  at::Tensor num_batches_tracked_;
};

}  // namespace ganscale::models
