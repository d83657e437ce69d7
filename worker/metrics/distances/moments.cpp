#include "metrics/distances/moments.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "base/error.h"
#include "comm/collectives/numbers.h"

namespace ganscale::metrics {

Moments::Moments(std::int64_t feature_count)
    : mean_(at::zeros({feature_count}, at::kDouble)),
      deviations_(at::zeros({feature_count, feature_count}, at::kDouble)) {}

void Moments::add(const at::Tensor& features) {
  check(features.dim() == 2 && features.size(1) == mean_.size(0), "features are [N, D]");
  if (features.size(0) == 0) return;
  const auto values = features.detach().to(at::kCPU, at::kDouble);
  if (!at::isfinite(values).all().item<bool>()) {
    throw DataError("a feature of an image is NaN or infinite: among " +
                    std::to_string(values.size(0)) + " images after the first " +
                    std::to_string(count_));
  }
  const auto batch_mean = values.mean(0);
  const auto centered = values.sub(batch_mean);
  deviations_.add_(centered.t().mm(centered));
  const auto batch_count = values.size(0);
  const auto total = static_cast<double>(count_ + batch_count);
  const auto difference = batch_mean.sub(mean_);
  const double weight = static_cast<double>(batch_count) / total;
  deviations_.add_(at::outer(difference, difference), static_cast<double>(count_) * weight);
  mean_.add_(difference, weight);
  count_ += batch_count;
}

void Moments::merge(comm::Group& group) {
  std::int64_t total = count_;
  comm::all_reduce_sum(group, {&total});
  if (total == 0) return;
  const auto mean = mean_.mul(static_cast<double>(count_) / static_cast<double>(total));
  group.all_reduce_sum(mean);
  const auto difference = mean_.sub(mean);
  deviations_.add_(at::outer(difference, difference), static_cast<double>(count_));
  group.all_reduce_sum(deviations_);
  mean_ = mean;
  count_ = total;
}

Gaussian Moments::gaussian(Divisor divisor) const {
  if (count_ < 2) {
    throw DataError("a covariance needs at least two images: " + std::to_string(count_));
  }
  const auto divide_by = static_cast<double>(divisor == Divisor::kCount ? count_ : count_ - 1);
  return {count_, mean_.clone(), deviations_.div(divide_by)};
}

}  // namespace ganscale::metrics
