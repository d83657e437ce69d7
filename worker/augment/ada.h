#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "augment/ada_pipeline.h"
#include "augment/ada_transforms.h"

/// The augmentations of Karras et al. 2020, "Training generative adversarial networks with limited
/// data", arXiv:2006.06676, appendix B, differentiable in the images as often as needed.
namespace ganscale::augment {

/// Transforms each image as its entry says; the result of an image does not depend on the others.
///
/// images:  [N, C, H, W] in [-1, 1], C 1 or 3, float32 or float64; results may pass these bounds.
/// noise:   standard normal numbers of the same shape; undefined adds no noise.
/// Returns: the same shape.
at::Tensor apply_transforms(const at::Tensor& images, const std::vector<AdaTransforms>& transforms,
                            const at::Tensor& noise);

/// Augments images with random transformations of probability p.
at::Tensor augment_ada(const at::Tensor& images, const AdaPipeline& pipeline, double p,
                       const ImageRandom& draws, Use use);

}  // namespace ganscale::augment
