#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "augment/ada_draws.h"

namespace ganscale::augment {

/// Which of the three families of transformations are applied, always and to all images.
struct DiffAugmentPolicy {
  bool color = false;        ///< brightness, saturation and contrast
  bool translation = false;  ///< by up to 1/8 of each side, with zero padding
  bool cutout = false;       ///< a zero rectangle of half of each side
};

/// Returns the policy of the named families. Throws ConfigError for an unknown name.
DiffAugmentPolicy diff_augment_policy(const std::vector<std::string>& names);

/// Augments each image, differentiable in the images as often as needed.
///
/// Paper:   Zhao et al. 2020, "Differentiable augmentation for data-efficient GAN training",
///          arXiv:2006.10738.
/// images:  [N, C, H, W] in [-1, 1].
/// Returns: the same shape. The result of an image does not depend on the others in the batch.
at::Tensor diff_augment(const at::Tensor& images, const DiffAugmentPolicy& policy,
                        const ImageRandom& draws, Use use);

}  // namespace ganscale::augment
