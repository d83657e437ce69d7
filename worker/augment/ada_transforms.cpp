#include "augment/ada_transforms.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ganscale::augment {
namespace {

using std::numbers::pi;

Affine operator*(const Affine& a, const Affine& b) {
  Affine product;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      product.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + (j == 2 ? a.m[i][2] : 0);
    }
  }
  return product;
}

Affine scaling(double x, double y) { return {{{{x, 0, 0}, {0, y, 0}}}}; }
Affine translation(double x, double y) { return {{{{1, 0, x}, {0, 1, y}}}}; }
Affine rotation(double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {{{{c, -s, 0}, {s, c, 0}}}};
}

/// Exact, so that a rotated image is not resampled between its pixels.
Affine quarter_turns(std::size_t count) {
  constexpr std::array<double, 4> kCosine = {1, 0, -1, 0};
  const double c = kCosine[count % 4];
  const double s = kCosine[(count + 3) % 4];
  return {{{{c, -s, 0}, {s, c, 0}}}};
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

ColorMap operator*(const Matrix3& a, const ColorMap& b) {
  ColorMap product;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      product.m[i][j] = a[i][0] * b.m[0][j] + a[i][1] * b.m[1][j] + a[i][2] * b.m[2][j];
    }
  }
  return product;
}

/// Returns along * (v v^T) + across * (I - v v^T) + sine * [v]x, v the axis of gray: scales along
/// and across it, and turns around it.
Matrix3 about_gray(double along, double across, double sine) {
  const double v = 1 / std::sqrt(3.0);
  const Matrix3 cross = {{{0, -v, v}, {v, 0, -v}, {-v, v, 0}}};
  Matrix3 matrix;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      matrix[i][j] = (along - across) / 3 + (i == j ? across : 0) + sine * cross[i][j];
    }
  }
  return matrix;
}

/// Applies the transformations in turn. The map of the result to its source grows on the right: by
/// the inverse of each.
class Composer {
 public:
  Composer(const AdaPipeline& pipeline, double p, const AdaDraws& draws)
      : pipeline_(pipeline), p_(p), draws_(draws) {}

  Affine source(double height, double width) const {
    Affine source;
    blit(source, height, width);
    stretch(source);
    if (happens(pipeline_.xfrac, gate::kXfrac)) {
      constexpr double kDeviation = 0.125;
      source = source * translation(-normal(normal::kXfracX) * kDeviation * width,
                                    -normal(normal::kXfracY) * kDeviation * height);
    }
    return source;
  }

  ColorMap color() const {
    const double p = pipeline_.color_strength * p_;
    ColorMap color;
    if (happens(pipeline_.brightness, gate::kBrightness, p)) {
      for (auto& row : color.m) row[3] += normal(normal::kBrightness) * 0.2;
    }
    if (happens(pipeline_.contrast, gate::kContrast, p)) {
      const double factor = std::exp2(normal(normal::kContrast) * 0.5);
      color = about_gray(factor, factor, 0) * color;
    }
    if (happens(pipeline_.lumaflip, gate::kLumaflip, p) && uniform(uniform::kLumaflip) >= 0.5) {
      color = about_gray(-1, 1, 0) * color;
    }
    if (happens(pipeline_.hue, gate::kHue, p)) {
      const double angle = (uniform(uniform::kHue) * 2 - 1) * pi;
      color = about_gray(1, std::cos(angle), std::sin(angle)) * color;
    }
    if (happens(pipeline_.saturation, gate::kSaturation, p)) {
      color = about_gray(1, std::exp2(normal(normal::kSaturation)), 0) * color;
    }
    return color;
  }

  BandGains band_gains() const {
    constexpr BandGains kExpectedPower = {10.0 / 13, 1.0 / 13, 1.0 / 13, 1.0 / 13};  // 1/f
    BandGains gains = {1, 1, 1, 1};
    for (std::size_t band = 0; band < kBandCount; ++band) {
      if (!happens(pipeline_.imgfilter, gate::kBands + band)) continue;
      const double factor = std::exp2(normal(normal::kBands + band));
      const double power = 1 + kExpectedPower[band] * (factor * factor - 1);
      gains[band] *= factor;
      for (double& gain : gains) gain /= std::sqrt(power);
    }
    return gains;
  }

  double noise_sigma() const {
    return happens(pipeline_.noise, gate::kNoise) ? std::abs(normal(normal::kNoise)) * 0.1 : 0;
  }

  std::optional<Point> cutout() const {
    if (!happens(pipeline_.cutout, gate::kCutout)) return std::nullopt;
    return Point{uniform(uniform::kCutoutX), uniform(uniform::kCutoutY)};
  }

 private:
  bool happens(bool on, std::size_t which, double probability) const {
    return on && draws_.gates[which] < probability;
  }
  bool happens(bool on, std::size_t which) const { return happens(on, which, p_); }
  double uniform(std::size_t which) const { return draws_.uniforms[which]; }
  double normal(std::size_t which) const { return draws_.normals[which]; }

  void blit(Affine& source, double height, double width) const {
    if (happens(pipeline_.xflip, gate::kXflip) && uniform(uniform::kXflip) >= 0.5) {
      source = source * scaling(-1, 1);
    }
    if (happens(pipeline_.rotate90, gate::kRotate90)) {
      source = source * quarter_turns(static_cast<std::size_t>(uniform(uniform::kRotate90) * 4));
    }
    if (happens(pipeline_.xint, gate::kXint)) {
      const auto shift = [&](std::size_t which, double side) {
        return std::nearbyint((uniform(which) * 2 - 1) * 0.125 * side);
      };
      source =
          source * translation(-shift(uniform::kXintX, width), -shift(uniform::kXintY, height));
    }
  }

  void stretch(Affine& source) const {
    // A rotation before or after the stretching happens with probability p.
    const double p_rotate = 1 - std::sqrt(std::clamp(1 - p_, 0.0, 1.0));
    const auto rotate = [&](gate::Gate which, uniform::Uniform angle) {
      if (!happens(pipeline_.rotate, which, p_rotate)) return;
      source = source * rotation((uniform(angle) * 2 - 1) * pi);
    };
    if (happens(pipeline_.scale, gate::kScale)) {
      const double factor = std::exp2(-normal(normal::kScale) * 0.2);
      source = source * scaling(factor, factor);
    }
    rotate(gate::kPreRotate, uniform::kPreRotate);
    if (happens(pipeline_.aniso, gate::kAniso)) {
      const double factor = std::exp2(-normal(normal::kAniso) * 0.2);
      source = source * scaling(factor, 1 / factor);
    }
    rotate(gate::kPostRotate, uniform::kPostRotate);
  }

  const AdaPipeline& pipeline_;
  double p_;
  const AdaDraws& draws_;
};

}  // namespace

AdaTransforms ada_transforms(const AdaPipeline& pipeline, double p, const AdaDraws& draws,
                             std::int64_t height, std::int64_t width) {
  const Composer composer(pipeline, p, draws);
  return {.source = composer.source(static_cast<double>(height), static_cast<double>(width)),
          .color = composer.color(),
          .band_gains = composer.band_gains(),
          .noise_sigma = composer.noise_sigma(),
          .cutout = composer.cutout()};
}

}  // namespace ganscale::augment
