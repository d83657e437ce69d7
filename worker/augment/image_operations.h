#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "augment/ada_transforms.h"

/// The transformations of ADA that leave pixels where they are. All take x as [N, C, H, W], with an
/// entry of the list for every image, and are differentiable in x as often as needed.
namespace ganscale::augment {

/// Transforms colors. A gray image (C = 1) is expanded to RGB first and averaged to gray again. C
/// is 1 or 3.
at::Tensor map_colors(const at::Tensor& x, const std::vector<ColorMap>& maps);

/// Amplifies and damps frequency bands. Images are mirrored beyond their edges.
///
/// Paper: Karras et al. 2020, arXiv:2006.06676, appendix B: the bands come from the wavelet sym2.
at::Tensor amplify_bands(const at::Tensor& x, const std::vector<BandGains>& gains);

/// Sets a rectangle of half an image's height and width around each given point to zero.
at::Tensor cut_out(const at::Tensor& x, const std::vector<std::optional<Point>>& centers);

}  // namespace ganscale::augment
