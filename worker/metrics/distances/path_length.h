#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::metrics {

/// The step along a path whose ends are compared, as a part of it.
constexpr double kPathStep = 1e-4;

/// Where on paths between two random latents images are compared.
struct PathRule {
  bool is_between_latents =
      false;                 ///< on an arc between latents z; else on a line between styles w
  bool is_anywhere = false;  ///< at a random place of the path; else at its start
  bool crops = false;        ///< compares the part that has the face in aligned portraits
};

/// Returns points on the arcs between latents, by spherical interpolation: [N, z_dim] of length
/// sqrt(z_dim), about that of random latents.
///
/// Source: Shoemake 1985, "Animating rotation with quaternion curves".
/// a, b:   [N, z_dim].
/// t:      [N, 1], 0 at a and 1 at b.
at::Tensor on_arc(const at::Tensor& a, const at::Tensor& b, const at::Tensor& t);

/// Returns the central half of the columns and the rows from 3/8 to 7/8 of images, [N, C, H, W].
///
/// Source: Karras et al. 2019, arXiv:1812.04948, Section 4.1, in the authors' implementation.
at::Tensor face_of(const at::Tensor& images);

/// Returns the mean of the lengths from the 1st to the 99th percentile, both rounded outward.
/// lengths: [N] float64, not empty.
double mean_without_tails(const at::Tensor& lengths);

}  // namespace ganscale::metrics
