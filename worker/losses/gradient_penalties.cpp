#include "losses/gradient_penalties.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ganscale::losses {
namespace {

constexpr std::array kPenalties = {
    Penalty{
        "r1", PenaltySite::kReals, zero_centered_penalty,
        [](const LossConfig& /*loss*/, const PenaltyOptions& options) { return options.r1_gamma; },
        /*has_phase=*/true},
    Penalty{
        "r2", PenaltySite::kFakes, zero_centered_penalty,
        [](const LossConfig& /*loss*/, const PenaltyOptions& options) { return options.r2_gamma; },
        /*has_phase=*/true},
    Penalty{"gradient_penalty", PenaltySite::kBetween, one_centered_penalty,
            [](const LossConfig& loss, const PenaltyOptions& /*options*/) {
              return loss.gradient_penalty;
            }},
};

}  // namespace

std::vector<at::Tensor> image_gradients(const std::vector<at::Tensor>& images,
                                        const std::vector<at::Tensor>& logits) {
  const auto has_gradient = [](const at::Tensor& batch) { return batch.requires_grad(); };
  check(std::ranges::all_of(images, has_gradient),
        "a penalty needs images.requires_grad to be set before D(images)");
  std::vector<at::Tensor> sums;
  for (const at::Tensor& batch : logits) sums.push_back(batch.sum());
  return torch::autograd::grad(sums, images, /*grad_outputs=*/{}, /*retain_graph=*/true,
                               /*create_graph=*/true);
}

at::Tensor zero_centered_penalty(const at::Tensor& gradient) {
  return gradient.square().sum({1, 2, 3}) / 2;
}

at::Tensor one_centered_penalty(const at::Tensor& gradient) {
  // The root has no derivative at zero.
  const auto norm = gradient.square().sum({1, 2, 3}).add(1e-12).sqrt();
  return norm.sub(1).square();
}

at::Tensor interpolate(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& share) {
  return fake.detach().lerp(real, share).detach().requires_grad_();
}

std::span<const Penalty> penalty_table() { return kPenalties; }

std::vector<WeightedPenalty> penalties_in(PenaltyPhase phase, const LossConfig& loss,
                                          const PenaltyOptions& options) {
  std::vector<WeightedPenalty> found;
  for (const Penalty& penalty : kPenalties) {
    const double weight = penalty.weight(loss, options);
    const PenaltyPhase own = penalty.has_phase ? options.phase : PenaltyPhase::kMain;
    if (weight > 0 && own == phase) found.push_back({&penalty, weight});
  }
  return found;
}

}  // namespace ganscale::losses
