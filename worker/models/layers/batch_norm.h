#pragma once

#include <torch/nn/module.h>

#include "comm/group/group.h"

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

/// How a batch norm takes its moments, and follows them.
struct BatchNormRule {
  double epsilon = 1e-5;
  double momentum = 0.1;
  BatchNormOptions options = {};
};

/// What a batch norm computes with, each [C].
struct BatchNormTensors {
  at::Tensor weight = {};  ///< undefined, as the bias: neither scales nor shifts
  at::Tensor bias = {};
  at::Tensor running_mean = {};
  at::Tensor running_var = {};
};

/// What all batch norms have in common, whatever they call their tensors.
class BatchNormLayer : public torch::nn::Module {
 public:
  /// Sets how far the running statistics move toward a batch's: for pass k, 1 / k makes them the
  /// mean over k passes.
  void set_momentum(double momentum) { rule_.momentum = momentum; }
  /// Sets whether training passes move the running statistics. They do unless set otherwise.
  void move_statistics(bool moves) { moves_statistics_ = moves; }

 protected:
  explicit BatchNormLayer(const BatchNormRule& rule) : rule_(rule) {}

  /// Normalizes each channel of x [N, C, H, W] to mean 0 and variance 1, then scales and shifts it;
  /// see BatchNorm.
  at::Tensor normalized(const at::Tensor& x) const;
  /// Returns whether a pass normalizes by moments of its images, not by the running statistics.
  bool takes_moments() const {
    return is_training() && rule_.options.mode != BatchNormMode::kFrozen;
  }
  bool moves_statistics() const { return takes_moments() && moves_statistics_; }

  BatchNormTensors tensors_;

 private:
  at::Tensor synchronized(const at::Tensor& x) const;

  BatchNormRule rule_;
  bool moves_statistics_ = true;
};

/// Normalizes each channel to mean 0 and variance 1, then scales and shifts it.
///
/// Paper:      Ioffe & Szegedy 2015, arXiv:1502.03167, Algorithm 1; with a scale and a shift for
///             each label: de Vries et al. 2017, arXiv:1707.00683, Section 3.2.
/// Parameters: weight [C], bias [C]; with labels [label_count, C]. Buffers: running_mean [C],
///             running_var [C] (of the unbiased variance), num_batches_tracked [] int64, as in
///             PyTorch.
class BatchNorm : public BatchNormLayer {
 public:
  BatchNorm(std::int64_t channels, double epsilon, double momentum,
            const BatchNormOptions& options);
  /// label_count: 0 without labels.
  BatchNorm(std::int64_t channels, std::int64_t label_count, const BatchNormRule& rule);

  /// x: [N, C, H, W]; the result keeps memory format and dtype. Moments of low-precision types are
  /// computed in float32. In training mode each call updates the running statistics; with
  /// kSynchronized all ranks call it together with equal shapes.
  /// labels: [N] int64; undefined without labels.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& labels = {});

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor num_batches_tracked_;
};

}  // namespace ganscale::models
