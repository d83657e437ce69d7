#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::metrics {

/// The largest part of an image's side by which translations move it, either way.
constexpr double kMostTranslation = 0.125;

/// The difference of images in [-1, 1], over the pixels that can be compared.
struct SquaredErrors {
  double sum = 0;
  double count = 0;  ///< of values: pixels times channels
};

/// How far images move, in pixels.
struct Translation {
  double right = 0;
  double down = 0;
};

/// Compares images of moved inputs with images that are moved here: by whole pixels exactly, by
/// fractions with a windowed sinc.
///
/// Paper:  Karras et al. 2021, arXiv:2106.12423, Appendix E.1 and E.2: EQ-T, EQ-T_frac.
/// images, moved: [N, C, H, W]. Only pixels whose sources lie within the image are compared.
SquaredErrors compare_translated(const at::Tensor& images, const at::Tensor& moved,
                                 const Translation& by);

/// Compares images of turned inputs with images that are turned here, counterclockwise about their
/// center, over the frequencies that both have: a square spectrum and the same one turned overlap in
/// an octagon.
///
/// Paper:  Karras et al. 2021, Appendix E.3: EQ-R, with its pseudo-rotation. The low-pass filter is
///         the octagon's, times a radial Lanczos window of 6 pixels.
/// images, moved: [N, C, H, W], square. Compares pixels that are six from all edges, also before the
///         rotation: none in images of 12 pixels or less.
SquaredErrors compare_turned(const at::Tensor& images, const at::Tensor& moved, double degrees);

/// Returns the peak signal-to-noise ratio of images in [-1, 1] in decibels, at most 150.5: of errors
/// as small as the rounding of float32.
double decibels_of(const SquaredErrors& errors);

}  // namespace ganscale::metrics
