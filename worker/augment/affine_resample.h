#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "augment/ada_transforms.h"

namespace ganscale::augment {

/// Moves, turns and stretches images: the pixel at q of a result comes from source(q) of its image,
/// which goes on mirrored beyond its edges.
///
/// Paper:   Karras et al. 2020, arXiv:2006.06676, appendix B: the image is enlarged twice with the
///          orthogonal wavelet sym6, read bilinearly, and reduced with the same wavelet turned
///          around, so that a map that moves nothing returns the image.
/// x:       [N, C, H, W], differentiable as often as needed.
/// sources: N maps.
/// Returns: [N, C, H, W]; the result of an image does not depend on the others.
at::Tensor affine_resample(const at::Tensor& x, const std::vector<Affine>& sources);

}  // namespace ganscale::augment
