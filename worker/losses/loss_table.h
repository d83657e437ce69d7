#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string_view>

#include "losses/loss_config.h"

namespace ganscale::losses {

/// The loss of each image, or pair, [N], of the logits of fakes and reals, [N] each, attached to
/// their graphs; its mean is the batch's.
using LossOfBoth = at::Tensor (*)(const at::Tensor& fake, const at::Tensor& real);
/// The same of one side.
using LossOfSide = at::Tensor (*)(const at::Tensor& logits);

/// An adversarial loss: a line of the table.
struct AdversarialLoss {
  std::string_view name;
  Adversarial kind = Adversarial::kNonSaturating;
  LossOfBoth generator =
      nullptr;  ///< takes no reals, which may be undefined, unless it is of pairs
  LossOfBoth discriminator = nullptr;
  LossOfSide fake = nullptr;  ///< D's loss is the sum of these two parts;
  LossOfSide real = nullptr;  ///< null for a loss of pairs

  /// Whether a fake and a real are compared, so that neither has a loss of its own.
  bool is_of_pairs() const { return fake == nullptr; }
};

/// Returns all losses. The first is the default.
std::span<const AdversarialLoss> loss_table();

/// Returns the line of a loss.
const AdversarialLoss& adversarial_loss(Adversarial kind);

}  // namespace ganscale::losses
