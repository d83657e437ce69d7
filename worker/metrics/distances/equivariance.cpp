#include "metrics/distances/equivariance.h"

#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/hypot.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sinc.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ganscale::metrics {
namespace {

constexpr int kRadius = 3;      // of the windowed sinc that translates, in pixels
constexpr int kTurnRadius = 6;  // of the filter of rotations
constexpr int kFiner = 4;       // samples a pixel that rotations read from

at::Tensor line(std::int64_t count) { return at::arange(count, at::TensorOptions(at::kDouble)); }

SquaredErrors errors_of(const at::Tensor& a, const at::Tensor& b) {
  return {(a - b).to(at::kDouble).square().sum().item<double>(), static_cast<double>(a.numel())};
}

/// Both images of a pair, along one axis where they can be compared.
struct Pair {
  at::Tensor images;
  at::Tensor moved;
};

/// Returns values a fraction of a pixel further on than the samples: Lanczos 1956's kernel, whose
/// taps sum to 1. 2 * kRadius - 1 fewer along the axis.
at::Tensor between_pixels(const at::Tensor& images, std::int64_t axis, double fraction) {
  const at::Tensor places = line(2 * kRadius) - (kRadius - 1) - fraction;
  const at::Tensor taps = at::sinc(places) * at::sinc(places / kRadius);
  const at::Tensor kernel = (taps / taps.sum()).to(images.options());
  const auto shape =
      axis == 2 ? std::vector<std::int64_t>{1, 1, -1, 1} : std::vector<std::int64_t>{1, 1, 1, -1};
  const at::Tensor planes = images.flatten(0, 1).unsqueeze(1);
  const at::Tensor result = at::conv2d(planes, kernel.view(shape));
  return result.reshape({images.size(0), images.size(1), result.size(2), result.size(3)});
}

/// Moves the images of a pair along an axis, so that both have the pixels that can be compared.
Pair translated(const Pair& pair, std::int64_t axis, double pixels) {
  const auto whole = static_cast<std::int64_t>(std::floor(pixels));
  // Pixel p of the result is at p - pixels: `fraction` behind a pixel of the images.
  const double fraction = whole == pixels ? 0 : 1 - (pixels - static_cast<double>(whole));
  Pair result = pair;
  std::int64_t first = whole;  // where the first pixel of result.images belongs
  if (fraction > 0) {
    result.images = between_pixels(pair.images, axis, fraction);
    first += kRadius;
  }
  const std::int64_t size = pair.moved.size(axis);
  const std::int64_t begin = std::max<std::int64_t>(first, 0);
  const std::int64_t end = std::min(first + result.images.size(axis), size);
  return {result.images.slice(axis, begin - first, end - first),
          result.moved.slice(axis, begin, end)};
}

/// Returns the taps of the filter that keeps the frequencies that lie in the square of what pixels
/// hold both before and after a clockwise turn by the angle: [K, K] float64, kFiner taps a pixel.
at::Tensor octagon_filter(double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  constexpr std::int64_t kFrequencies = 256;  // a side; in cycles per pixel
  const at::Tensor f = (line(kFrequencies) + 0.5) / kFrequencies - 0.5;
  const at::Tensor fx = f.unsqueeze(0);
  const at::Tensor fy = f.unsqueeze(1);
  const at::Tensor passes =
      (fx * c - fy * s).abs().le(0.5).logical_and((fx * s + fy * c).abs().le(0.5));
  constexpr std::int64_t kTaps = 2 * kTurnRadius * kFiner - 1;
  const at::Tensor places = (line(kTaps) - kTaps / 2) / kFiner;  // in pixels from the center
  const at::Tensor turns = places.outer(f) * (2 * std::numbers::pi);
  const at::Tensor spectrum = passes.to(at::kDouble);
  const auto transformed = [&](const at::Tensor& rows, const at::Tensor& columns) {
    return at::matmul(at::matmul(rows, spectrum), columns.t());
  };
  const at::Tensor cosine = turns.cos();
  const at::Tensor sine = turns.sin();
  const at::Tensor taps = transformed(cosine, cosine) - transformed(sine, sine);
  const at::Tensor radii = at::hypot(places.unsqueeze(0), places.unsqueeze(1)) / kTurnRadius;
  return taps * at::sinc(radii) * radii.lt(1).to(at::kDouble);
}

/// Returns the taps of each phase divided by their sum, so that it leaves constant images alone.
at::Tensor normalized(const at::Tensor& taps, std::int64_t stride) {
  const at::Tensor result = taps.clone();
  for (std::int64_t y = 0; y < stride; ++y) {
    for (std::int64_t x = 0; x < stride; ++x) {
      const at::Tensor phase = result.slice(0, y, {}, stride).slice(1, x, {}, stride);
      phase.div_(phase.sum());
    }
  }
  return result;
}

at::Tensor kernel_of(const at::Tensor& taps, const at::Tensor& images) {
  return taps.unsqueeze(0).unsqueeze(0).to(images.options());
}

/// Returns where each pixel of turned images [N, C, H, W] comes from, in pixels: [H, W, 2] (x, y).
at::Tensor sources_of(const at::Tensor& images, double angle) {
  const double middle_x = static_cast<double>(images.size(3) - 1) / 2;
  const double middle_y = static_cast<double>(images.size(2) - 1) / 2;
  const at::Tensor x = (line(images.size(3)) - middle_x).unsqueeze(0);
  const at::Tensor y = (line(images.size(2)) - middle_y).unsqueeze(1);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  // Rows are numbered downward, so that this turns an image counterclockwise for a viewer.
  return at::stack({x * c - y * s + middle_x, x * s + y * c + middle_y}, 2);
}

/// Turns images: the filter makes a finer grid, which is read by linear interpolation.
at::Tensor turned(const at::Tensor& images, double angle, const at::Tensor& sources) {
  const at::Tensor taps = normalized(octagon_filter(-angle), kFiner);
  const at::Tensor finer =
      at::conv_transpose2d(images.flatten(0, 1).unsqueeze(1), kernel_of(taps, images), {}, kFiner);
  const at::Tensor places = sources * kFiner + taps.size(0) / 2;
  const auto per_sample = [&](std::int64_t axis) {  // grid_sampler() sees an axis from -1 to 1
    return 2.0 / static_cast<double>(finer.size(axis) - 1);
  };
  const at::Tensor scales = at::tensor({per_sample(3), per_sample(2)}, at::kDouble);
  const at::Tensor grid = (places * scales - 1).to(images.options());
  const at::Tensor planes = finer.transpose(0, 1);  // [1, N * C, H, W]
  const at::Tensor result = at::grid_sampler(planes, grid.unsqueeze(0), /*interpolation_mode=*/0,
                                             /*padding_mode=*/0, /*align_corners=*/true);
  return result.reshape(images.sizes());
}

/// Returns images without the frequencies that a rotation loses.
at::Tensor band_limited(const at::Tensor& images, double angle) {
  constexpr std::int64_t kFirst =
      kFiner - 1;  // the tap at a whole number of pixels from the center
  const at::Tensor taps =
      octagon_filter(angle).slice(0, kFirst, {}, kFiner).slice(1, kFirst, {}, kFiner);
  const auto padding = taps.size(0) / 2;
  return at::conv2d(images.flatten(0, 1).unsqueeze(1), kernel_of(normalized(taps, 1), images), {},
                    /*stride=*/1, padding)
      .reshape(images.sizes());
}

/// Returns where all taps of both filters lie within the images, [H, W].
at::Tensor comparable(const at::Tensor& images, const at::Tensor& sources) {
  const auto within = [&](const at::Tensor& place, std::int64_t axis) {
    const auto last = static_cast<double>(images.size(axis) - 1 - kTurnRadius);
    return place.ge(kTurnRadius).logical_and(place.le(last));
  };
  return within(line(images.size(3)), 3)
      .unsqueeze(0)
      .logical_and(within(line(images.size(2)), 2).unsqueeze(1))
      .logical_and(within(sources.select(2, 0), 3))
      .logical_and(within(sources.select(2, 1), 2));
}

}  // namespace

SquaredErrors compare_translated(const at::Tensor& images, const at::Tensor& moved,
                                 const Translation& by) {
  const Pair pair = translated(translated({images, moved}, 3, by.right), 2, by.down);
  return errors_of(pair.images, pair.moved);
}

SquaredErrors compare_turned(const at::Tensor& images, const at::Tensor& moved, double degrees) {
  const double angle = degrees / 180 * std::numbers::pi;
  const at::Tensor sources = sources_of(images, angle);
  const at::Tensor compared = comparable(images, sources).to(images.device());
  const auto values = [&](const at::Tensor& of) {
    return of.flatten(2).transpose(0, 2).index({compared.flatten()});
  };
  return errors_of(values(turned(images, angle, sources)), values(band_limited(moved, angle)));
}

double decibels_of(const SquaredErrors& errors) {
  constexpr double kRounding = 0x1p-48;
  constexpr double kPeak = 2;
  const double mean = std::max(errors.sum / errors.count, kRounding);
  return 10 * std::log10(kPeak * kPeak / mean);
}

}  // namespace ganscale::metrics
