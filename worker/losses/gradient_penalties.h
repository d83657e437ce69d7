#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string_view>
#include <vector>

#include "losses/loss_config.h"

/// Penalties of the slope of a discriminator at images.
namespace ganscale::losses {

/// Returns the gradient of each image's logit by the image, [N, C, H, W] for each batch, attached:
/// its backward pass is second order. One backward pass for all batches, and none to weights.
///
/// images:  batches [N, C, H, W] that required gradients before the discriminator saw them.
/// logits:  [N] for each of them, attached. If D mixes the images of a batch, the gradient is that
///          of the sum of its logits, as in the references.
std::vector<at::Tensor> image_gradients(const std::vector<at::Tensor>& images,
                                        const std::vector<at::Tensor>& logits);

/// Returns |gradient|^2 / 2 of each image.
///
/// Paper:    Mescheder et al. 2018, arXiv:1801.04406, Eq. (9) for R1, at the reals, and Eq. (10) for
///           R2, at the fakes, without their weight gamma.
/// gradient: [N, C, H, W].
/// Returns:  [N], attached.
at::Tensor zero_centered_penalty(const at::Tensor& gradient);

/// Returns (|gradient| - 1)^2 of each image.
///
/// Paper:    Gulrajani et al. 2017, arXiv:1704.00028, Eq. (3), without its weight.
/// Shapes as above.
at::Tensor one_centered_penalty(const at::Tensor& gradient);

/// Returns images between reals and fakes, share * real + (1 - share) * fake, at which to take a
/// gradient penalty: a leaf that requires gradients.
///
/// Paper:   Gulrajani et al. 2017, arXiv:1704.00028, Algorithm 1.
/// real, fake: [N, C, H, W]; share: [N, 1, 1, 1] in [0, 1].
at::Tensor interpolate(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& share);

/// The images at which a penalty takes the gradient.
enum class PenaltySite { kReals, kFakes, kBetween };

/// A penalty: a line of the table.
struct Penalty {
  std::string_view name;  ///< of its statistic, after "loss/"
  PenaltySite site = PenaltySite::kReals;
  at::Tensor (*of_gradient)(const at::Tensor& gradient) = nullptr;  ///< [N, C, H, W] to [N]
  double (*weight)(const LossConfig& loss, const PenaltyOptions& options) = nullptr;
  bool has_phase = false;  ///< may be lazy; a schedule scales its weight
};

/// Returns all penalties: R1, R2, and the gradient penalty between reals and fakes.
std::span<const Penalty> penalty_table();

/// A penalty that a run has.
struct WeightedPenalty {
  const Penalty* penalty = nullptr;
  double weight = 0;  ///< above 0
};

/// Returns the penalties of the main phase of D, or of a separate lazy phase.
std::vector<WeightedPenalty> penalties_in(PenaltyPhase phase, const LossConfig& loss,
                                          const PenaltyOptions& options);

}  // namespace ganscale::losses
