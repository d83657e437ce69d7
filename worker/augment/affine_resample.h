#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "augment/ada_transforms.h"

namespace ganscale::augment {

/// Applies affine transformations: the pixel at q of a result comes from source(q) of its image,
/// which is mirrored beyond its edges.
///
/// Paper:   Karras et al. 2020, arXiv:2006.06676, appendix B: the image is upsampled by 2 with the
///          orthogonal wavelet sym6, sampled bilinearly, and downsampled with the flipped wavelet,
///          so that the identity returns the image.
/// x:       [N, C, H, W], differentiable as often as needed.
/// sources: N maps.
/// Returns: [N, C, H, W]; the result of an image does not depend on the others.
at::Tensor affine_resample(const at::Tensor& x, const std::vector<Affine>& sources);

}  // namespace ganscale::augment
