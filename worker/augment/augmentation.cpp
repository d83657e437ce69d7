#include "augment/augmentation.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "augment/ada.h"

namespace ganscale::augment {

Augmentation::Augmentation(const AugmentConfig& config, at::Device device)
    : config_(config),
      blur_sigma_(config.blur.sigma),
      p_(at::scalar_tensor(config.p, at::kDouble)) {
  const auto options = at::TensorOptions(at::kDouble).device(device);
  observed_ = at::zeros({2}, options);
  this_step_ = at::zeros({2}, options);
}

at::Tensor Augmentation::operator()(const at::Tensor& images, const ImageRandom& draws,
                                    Use use) const {
  const at::Tensor seen = blurred(images, blur_sigma_);
  if (config_.method == Method::kNone) return seen;
  if (config_.method == Method::kDiffAugment) return diff_augment(seen, config_.policy, draws, use);
  return augment_ada(seen, config_.pipeline, *p(), draws, use);
}

void Augmentation::begin_step(std::int64_t images_seen) {
  blur_sigma_ = blur_sigma(config_.blur, images_seen);
  if (config_.p_schedule.is_constant()) return;
  p_.fill_(schedule::value_of(config_.p_schedule, config_.p, images_seen));
}

void Augmentation::observe_reals(const at::Tensor& logits) {
  if (state().empty()) return;
  const at::NoGradGuard no_grad;
  // Comparisons, so that a NaN counts as 0.
  const auto sum = logits.gt(0).sum() - logits.lt(0).sum();
  this_step_.add_(at::stack({sum, at::full_like(sum, logits.numel())}));
}

void Augmentation::adapt(comm::Group& group, std::int64_t step) {
  if (state().empty()) return;
  group.all_reduce_sum(this_step_);
  observed_.add_(this_step_);
  this_step_.zero_();
  if ((step + 1) % config_.adaptation.interval_steps != 0) return;
  const auto sum = observed_[0].item<double>();
  const auto count = observed_[1].item<double>();
  observed_.zero_();
  if (count > 0) p_.fill_(config_.adaptation.next(*p(), sum / count, count));
}

std::optional<double> Augmentation::p() const {
  if (config_.method != Method::kAda) return std::nullopt;
  return p_.item<double>();
}

NamedTensors Augmentation::state() const {
  if (config_.method != Method::kAda || !config_.adaptive) return {};
  return {{"p", p_}, {"observed", observed_}};
}

}  // namespace ganscale::augment
