#include "models/layers/batch_norm.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "comm/differentiable_all_reduce.h"

namespace ganscale::models {

BatchNorm::BatchNorm(std::int64_t channels, double epsilon, double momentum,
                     const BatchNormOptions& options)
    : epsilon_(epsilon),
      momentum_(momentum),
      options_(options),
      weight_(register_parameter("weight", at::ones({channels}))),
      bias_(register_parameter("bias", at::zeros({channels}))),
      running_mean_(register_buffer("running_mean", at::zeros({channels}))),
      running_var_(register_buffer("running_var", at::ones({channels}))),
      num_batches_tracked_(register_buffer("num_batches_tracked", at::zeros({}, at::kLong))) {}

at::Tensor BatchNorm::forward(const at::Tensor& x) {
  const bool take_moments = is_training() && options_.mode != BatchNormMode::kFrozen;
  if (take_moments) num_batches_tracked_.add_(1);
  if (take_moments && options_.mode == BatchNormMode::kSynchronized && options_.group != nullptr) {
    return synchronized(x);
  }
  return at::batch_norm(x, weight_, bias_, running_mean_, running_var_, take_moments, momentum_,
                        epsilon_, /*cudnn_enabled=*/true);
}

at::Tensor BatchNorm::synchronized(const at::Tensor& x) {
  const std::int64_t count = x.numel() / x.size(1) * options_.group->size();
  const auto mean_over_ranks = [&](const at::Tensor& values) {
    return comm::differentiable_all_reduce(*options_.group, values.sum({0, 2, 3}, /*keepdim=*/true))
        .div(static_cast<double>(count));
  };
  // Sums in bf16 would lose precision, and groups do not support them.
  const auto wide = x.to(at::isReducedFloatingType(x.scalar_type()) ? at::kFloat : x.scalar_type());
  const auto mean = mean_over_ranks(wide);
  // The variance is that of centered values: a difference of large squares would lose precision.
  const auto centered = wide.sub(mean);
  const auto variance = mean_over_ranks(centered.square());
  {
    const at::NoGradGuard no_grad;
    const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    running_mean_.lerp_(mean.flatten(), momentum_);
    running_var_.lerp_(variance.flatten().mul(unbiased), momentum_);
  }
  const auto scale = weight_.view({1, -1, 1, 1}).mul(variance.add(epsilon_).rsqrt());
  return centered.mul(scale).add_(bias_.view({1, -1, 1, 1})).to(x.scalar_type());
}

}  // namespace ganscale::models
