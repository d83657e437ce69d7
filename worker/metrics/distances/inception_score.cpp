#include "metrics/distances/inception_score.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/xlogy.h>
#include <ATen/ops/zeros.h>

#include "base/error.h"

namespace ganscale::metrics {

InceptionScore::InceptionScore(std::int64_t class_count, std::int64_t image_count, int splits)
    : image_count_(image_count), sums_(at::zeros({splits, class_count + 2}, at::kDouble)) {
  check(splits >= 1 && splits <= image_count, "a split has one image at least");
}

void InceptionScore::add(const at::Tensor& logits, const at::Tensor& images) {
  const auto values = logits.detach().to(at::kCPU, at::kDouble);
  check(values.dim() == 2 && values.size(1) + 2 == sums_.size(1), "logits are [N, classes]");
  if (!at::isfinite(values).all().item<bool>()) {
    throw DataError("a logit of the feature network is NaN or infinite");
  }
  const auto log_p = at::log_softmax(values, 1);
  const auto p = log_p.exp();
  const auto negative_entropy = at::xlogy(p, p).sum(1, /*keepdim=*/true);
  const auto rows = at::cat({p, negative_entropy, at::ones_like(negative_entropy)}, 1);
  // Split s starts with image floor(s * image_count / splits).
  const auto split = images.add(1).mul(sums_.size(0)).sub(1).floor_divide(image_count_);
  sums_.index_add_(0, split, rows);
}

void InceptionScore::merge(comm::Group& group) { group.all_reduce_sum(sums_); }

MeanAndDeviation InceptionScore::score() const {
  const auto classes = sums_.size(1) - 2;
  const auto count = sums_.narrow(1, classes + 1, 1);
  if (count.min().item<double>() == 0) {
    throw DataError("the inception score has a split without images");
  }
  const auto mean = sums_.narrow(1, 0, classes).div(count);
  const auto negative_entropy = sums_.select(1, classes).div(count.squeeze(1));
  const auto scores = negative_entropy.sub(at::xlogy(mean, mean).sum(1)).exp();
  return {scores.mean().item<double>(), scores.std(/*unbiased=*/false).item<double>()};
}

}  // namespace ganscale::metrics
