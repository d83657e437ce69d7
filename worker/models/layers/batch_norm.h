#pragma once

#include <torch/nn/module.h>

#include "comm/group.h"

namespace ganscale::models {

/// What the moments of a batch norm are computed over in training mode.
enum class BatchNormMode {
  kLocal,         ///< this rank's part of the batch
  kSynchronized,  ///< the global batch: the result does not depend on the world size
  kFrozen,        ///< nothing: uses the running statistics, as in eval mode, and keeps them
};

struct BatchNormOptions {
  BatchNormMode mode = BatchNormMode::kLocal;
  /// The ranks of kSynchronized; null for a single rank. Must outlive the layer.
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

  /// x: [N, C, H, W]; the result keeps memory format and dtype. Moments of low-precision types are
  /// computed in float32. In training mode each call updates the running statistics; with
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
