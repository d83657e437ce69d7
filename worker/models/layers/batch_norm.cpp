#include "models/layers/batch_norm.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "comm/collectives/differentiable_all_reduce.h"

namespace ganscale::models {

at::Tensor BatchNormLayer::normalized(const at::Tensor& x) const {
  const bool is_synchronized = rule_.options.mode == BatchNormMode::kSynchronized;
  if (takes_moments() && is_synchronized && rule_.options.group != nullptr) return synchronized(x);
  const bool needs_statistics = moves_statistics() || !takes_moments();
  return at::batch_norm(x, tensors_.weight, tensors_.bias,
                        needs_statistics ? tensors_.running_mean : at::Tensor(),
                        needs_statistics ? tensors_.running_var : at::Tensor(), takes_moments(),
                        rule_.momentum, rule_.epsilon, /*cudnn_enabled=*/true);
}

at::Tensor BatchNormLayer::synchronized(const at::Tensor& x) const {
  comm::Group& group = *rule_.options.group;
  const std::int64_t count = x.numel() / x.size(1) * group.size();
  const auto mean_over_ranks = [&](const at::Tensor& values) {
    return comm::differentiable_all_reduce(group, values.sum({0, 2, 3}, /*keepdim=*/true))
        .div(static_cast<double>(count));
  };
  // Sums in bf16 would lose precision, and groups do not support them.
  const auto wide = x.to(at::isReducedFloatingType(x.scalar_type()) ? at::kFloat : x.scalar_type());
  const auto mean = mean_over_ranks(wide);
  // The variance of centered values: a difference of large squares would lose precision.
  const auto centered = wide.sub(mean);
  const auto variance = mean_over_ranks(centered.square());
  if (moves_statistics()) {
    const at::NoGradGuard no_grad;
    const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    tensors_.running_mean.lerp_(mean.flatten(), rule_.momentum);
    tensors_.running_var.lerp_(variance.flatten().mul(unbiased), rule_.momentum);
  }
  auto scale = variance.add(rule_.epsilon).rsqrt();
  if (!tensors_.weight.defined()) return centered.mul(scale).to(x.scalar_type());
  scale = tensors_.weight.view({1, -1, 1, 1}).mul(scale);
  return centered.mul(scale).add_(tensors_.bias.view({1, -1, 1, 1})).to(x.scalar_type());
}

BatchNorm::BatchNorm(std::int64_t channels, double epsilon, double momentum,
                     const BatchNormOptions& options)
    : BatchNorm(channels, /*label_count=*/0, {epsilon, momentum, options}) {}

BatchNorm::BatchNorm(std::int64_t channels, std::int64_t label_count, const BatchNormRule& rule)
    : BatchNormLayer(rule),
      num_batches_tracked_(register_buffer("num_batches_tracked", at::zeros({}, at::kLong))) {
  const auto shape = label_count > 0 ? std::vector{label_count, channels} : std::vector{channels};
  weight_ = register_parameter("weight", at::ones(shape));
  bias_ = register_parameter("bias", at::zeros(shape));
  tensors_.running_mean = register_buffer("running_mean", at::zeros({channels}));
  tensors_.running_var = register_buffer("running_var", at::ones({channels}));
  if (label_count > 0) return;
  tensors_.weight = weight_;
  tensors_.bias = bias_;
}

at::Tensor BatchNorm::forward(const at::Tensor& x, const at::Tensor& labels) {
  if (moves_statistics()) num_batches_tracked_.add_(1);
  const auto normal = normalized(x);
  if (tensors_.weight.defined()) return normal;
  const auto of_images = [&](const at::Tensor& rows) {
    return at::embedding(rows, labels).to(x.scalar_type()).unsqueeze(2).unsqueeze(3);
  };
  return normal.mul(of_images(weight_)).add_(of_images(bias_));
}

}  // namespace ganscale::models
