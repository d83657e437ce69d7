#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "augment/ada_draws.h"
#include "augment/ada_pipeline.h"

/// From random numbers to what happens to an image: plain arithmetic on the host.
namespace ganscale::augment {

/// A map of the plane: (x, y) to (m[0][0] x + m[0][1] y + m[0][2], m[1][0] x + ...). Coordinates
/// are pixels from the center of an image.
struct Affine {
  std::array<std::array<double, 3>, 2> m{{{1, 0, 0}, {0, 1, 0}}};
  bool operator==(const Affine&) const = default;
};

/// A map of colors: rows of factors of red, green, blue and one.
struct ColorMap {
  std::array<std::array<double, 4>, 3> m{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  bool operator==(const ColorMap&) const = default;
};

constexpr std::size_t kBandCount = 4;
/// Factors of the frequency bands [0, pi/8], [pi/8, pi/4], [pi/4, pi/2] and [pi/2, pi].
using BandGains = std::array<double, kBandCount>;

/// A point of an image, both coordinates in [0, 1).
struct Point {
  double x = 0;
  double y = 0;
};

/// What happens to one image, in this order.
struct AdaTransforms {
  Affine source;  ///< from a pixel of the result to where it comes from
  ColorMap color;
  BandGains band_gains{1, 1, 1, 1};
  double noise_sigma = 0;
  std::optional<Point> cutout;  ///< center of the cut-out half of the image
};

/// Returns what the draws mean for an image of `height` by `width` pixels, each transformation
/// with probability p.
///
/// Paper: Karras et al. 2020, arXiv:2006.06676, appendix B, with its strengths: translations by up
/// to 1/8 (whole pixels) and of deviation 1/8 (fractions), scale and stretch 2^(0.2 n), brightness
/// 0.2, contrast 2^(0.5 n), saturation 2^n, bands 2^n at constant expected power, noise 0.1.
AdaTransforms ada_transforms(const AdaPipeline& pipeline, double p, const AdaDraws& draws,
                             std::int64_t height, std::int64_t width);

}  // namespace ganscale::augment
