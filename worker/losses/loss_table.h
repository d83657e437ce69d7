#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string_view>

#include "losses/loss_config.h"

namespace ganscale::losses {

/// An adversarial loss: a line of the table. Each function takes logits [N], attached to the graph,
/// and returns the loss of each image, [N], whose mean is that of the batch.
struct AdversarialLoss {
  std::string_view name;
  Adversarial kind;
  at::Tensor (*generator)(const at::Tensor& fake_logits);
  at::Tensor (*fake)(const at::Tensor& logits);  ///< D's loss is the sum of these two parts
  at::Tensor (*real)(const at::Tensor& logits);
};

/// Returns all losses. The first is the default.
std::span<const AdversarialLoss> loss_table();

/// Returns the line of a loss.
const AdversarialLoss& adversarial_loss(Adversarial kind);

}  // namespace ganscale::losses
