#include "augment/image_operations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/tensor.h>

#include <array>
#include <cmath>

#include "augment/mirrored_padding.h"
#include "base/error.h"
#include "kernels/launch/on_device.h"

namespace ganscale::augment {
namespace {

using Taps = std::vector<double>;

Taps convolve(const Taps& a, const Taps& b) {
  Taps product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

/// Returns the taps of H(z^factor).
Taps spread(const Taps& taps, std::size_t factor) {
  Taps result((taps.size() - 1) * factor + 1, 0.0);
  for (std::size_t i = 0; i < taps.size(); ++i) result[i * factor] = taps[i];
  return result;
}

/// Returns the taps in the middle of `length` zeros.
Taps centered(const Taps& taps, std::size_t length) {
  Taps result(length, 0.0);
  std::copy(taps.begin(), taps.end(),
            result.begin() + static_cast<std::ptrdiff_t>((length - taps.size()) / 2));
  return result;
}

/// Returns the symmetric filters of the four bands, whose sum passes everything: with the low pass
/// L = H(z) H(1/z) / 2 and the high pass B = 1 - L of the wavelet, these are L(z) L(z^2) L(z^4),
/// L(z) L(z^2) B(z^4), L(z) B(z^2) and B(z).
std::array<Taps, kBandCount> band_filters() {
  const double root3 = std::sqrt(3.0);
  const double norm = 4 * std::sqrt(2.0);
  // Daubechies 1992, "Ten lectures on wavelets", equation 6.3.6.
  const Taps sym2 = {(1 - root3) / norm, (3 - root3) / norm, (3 + root3) / norm,
                     (1 + root3) / norm};
  const Taps turned(sym2.rbegin(), sym2.rend());
  Taps low = convolve(sym2, turned);
  for (double& tap : low) tap /= 2;
  Taps high = low;
  for (double& tap : high) tap = -tap;
  high[high.size() / 2] += 1;
  const Taps low_twice = convolve(low, spread(low, 2));
  std::array<Taps, kBandCount> bands = {convolve(low_twice, spread(low, 4)),
                                        convolve(low_twice, spread(high, 4)),
                                        convolve(low, spread(high, 2)), high};
  for (Taps& band : bands) band = centered(band, bands[0].size());
  return bands;
}

/// Returns each image's filter, [N, taps].
at::Tensor amplification_filters(const std::vector<BandGains>& gains) {
  static const auto kBands = band_filters();
  Taps values;
  for (const BandGains& gain : gains) {
    for (std::size_t tap = 0; tap < kBands[0].size(); ++tap) {
      double sum = 0;
      for (std::size_t band = 0; band < kBandCount; ++band) sum += gain[band] * kBands[band][tap];
      values.push_back(sum);
    }
  }
  return at::tensor(values, at::kDouble).view({static_cast<std::int64_t>(gains.size()), -1});
}

}  // namespace

at::Tensor map_colors(const at::Tensor& x, const std::vector<ColorMap>& maps) {
  std::vector<double> values;
  for (const ColorMap& map : maps) {
    for (const auto& row : map.m) values.insert(values.end(), row.begin(), row.end());
  }
  auto matrices = at::tensor(values, at::kDouble).view({-1, 3, 4});
  const auto channels = x.size(1);
  if (channels == 1) {
    const auto mean = matrices.mean(1);
    matrices = at::stack({mean.slice(1, 0, 3).sum(1), mean.select(1, 3)}, 1).unsqueeze(1);
  } else {
    check(channels == 3, "colors are mapped of images with one or three channels");
  }
  matrices = kernels::sent_to(x.device(), matrices.to(x.scalar_type()));
  // Not a product of matrices, which might be in TF32.
  const auto products = matrices.slice(2, 0, channels).unsqueeze(3) * x.flatten(2).unsqueeze(1);
  return (products.sum(2) + matrices.slice(2, channels)).view(x.sizes());
}

at::Tensor amplify_bands(const at::Tensor& x, const std::vector<BandGains>& gains) {
  const auto planes = x.size(0) * x.size(1);
  const auto filters =
      kernels::sent_to(x.device(), amplification_filters(gains).to(x.scalar_type()))
          .repeat_interleave(x.size(1), /*dim=*/0);
  const auto margin = filters.size(1) / 2;
  const auto padded = mirrored_padding(x, {margin, margin, margin, margin});
  const auto rows =
      at::conv2d(padded.reshape({1, planes, padded.size(2), padded.size(3)}),
                 filters.view({planes, 1, 1, -1}), {}, 1, at::IntArrayRef{0}, 1, planes);
  const auto both =
      at::conv2d(rows, filters.view({planes, 1, -1, 1}), {}, 1, at::IntArrayRef{0}, 1, planes);
  return both.view(x.sizes());
}

at::Tensor cut_out(const at::Tensor& x, const std::vector<std::optional<Point>>& centers) {
  constexpr double kNowhere = -2;
  std::vector<double> center_x;
  std::vector<double> center_y;
  for (const auto& center : centers) {
    center_x.push_back(center ? center->x : kNowhere);
    center_y.push_back(center ? center->y : kNowhere);
  }
  const auto inside = [&x](const std::vector<double>& around, std::int64_t length) {
    const auto position = (at::arange(length, at::kDouble) + 0.5) / length;
    const auto distance = (position - at::tensor(around, at::kDouble).unsqueeze(1)).abs();
    return kernels::sent_to(x.device(), distance.lt(0.25));
  };
  const auto hole = inside(center_y, x.size(2))
                        .unsqueeze(2)
                        .logical_and(inside(center_x, x.size(3)).unsqueeze(1));
  return x * hole.logical_not().unsqueeze(1).to(x.options());
}

}  // namespace ganscale::augment
