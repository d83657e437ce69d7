#include "augment/affine_resample.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "augment/grid_sample.h"
#include "augment/mirrored_padding.h"
#include "kernels/launch/on_device.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::augment {
namespace {

/// Daubechies 1992, "Ten lectures on wavelets", table 6.3 (least asymmetric, six moments).
constexpr std::array<double, 12> kSym6 = {
    0.015404109327027373,  0.0034907120842174702, -0.11799011114819057,  -0.048311742585633,
    0.4910559419267466,    0.787641141030194,     0.3379294217276218,    -0.07263752278646252,
    -0.021060292512300564, 0.04472490177066578,   0.0017677118642428036, -0.007800708325034148};

/// Pixels around a result that its reduction looks at, and around a source for both filters.
constexpr std::int64_t kFilterMargin = kSym6.size() / 4;
constexpr double kSourceMargin = 2 * kFilterMargin;

/// The corners of the result determine the margins. They are limited to one mirror image per side;
/// beyond that is zero.
Margins margins_of(const Affine& source, std::int64_t height, std::int64_t width) {
  const double half_width = static_cast<double>(width - 1) / 2;
  const double half_height = static_cast<double>(height - 1) / 2;
  const auto reach = [&](const std::array<double, 3>& row, double sign) {
    return std::abs(row[0]) * half_width + std::abs(row[1]) * half_height + sign * row[2];
  };
  const auto margin = [](double reached, double half, std::int64_t side) {
    const double wanted = std::ceil(reached + kSourceMargin - half);
    return static_cast<std::int64_t>(std::clamp(wanted, 0.0, static_cast<double>(side - 1)));
  };
  return {.left = margin(reach(source.m[0], -1), half_width, width),
          .right = margin(reach(source.m[0], 1), half_width, width),
          .top = margin(reach(source.m[1], -1), half_height, height),
          .bottom = margin(reach(source.m[1], 1), half_height, height)};
}

Margins widest(const std::vector<Margins>& all) {
  Margins most;
  for (const Margins& one : all) {
    most.left = std::max(most.left, one.left);
    most.right = std::max(most.right, one.right);
    most.top = std::max(most.top, one.top);
    most.bottom = std::max(most.bottom, one.bottom);
  }
  return most;
}

/// A batch of images of one size, each with margins of its own inside the widest of them.
struct Canvas {
  std::vector<Margins> margins;
  Margins widest;
  std::int64_t height;
  std::int64_t width;
};

/// Returns what blanks an axis of a batch beyond each image's own margins: [N, length * factor].
at::Tensor blank_axis(const std::vector<std::int64_t>& begins,
                      const std::vector<std::int64_t>& ends, std::int64_t length,
                      std::int64_t factor, const at::Tensor& like) {
  const auto position = at::arange(length * factor, at::kLong);
  const auto inside = position.ge(at::tensor(begins).mul(factor).unsqueeze(1))
                          .logical_and(position.lt(at::tensor(ends).mul(factor).unsqueeze(1)));
  return kernels::sent_to(like.device(), inside.to(like.scalar_type()));
}

/// Sets to zero what lies beyond each image's own margins, so that the result of an image does not
/// depend on its neighbors' margins. factor: enlargement of the canvas.
at::Tensor blank_beyond_margins(const at::Tensor& x, const Canvas& canvas, std::int64_t factor) {
  std::vector<std::int64_t> left, right, top, bottom;
  for (const Margins& own : canvas.margins) {
    left.push_back(canvas.widest.left - own.left);
    right.push_back(canvas.widest.left + canvas.width + own.right);
    top.push_back(canvas.widest.top - own.top);
    bottom.push_back(canvas.widest.top + canvas.height + own.bottom);
  }
  const auto columns = blank_axis(left, right, x.size(3) / factor, factor, x);
  const auto rows = blank_axis(top, bottom, x.size(2) / factor, factor, x);
  return x * (rows.unsqueeze(2) * columns.unsqueeze(1)).unsqueeze(1);
}

/// Returns the maps from the normalized coordinates of a result of `out_height` by `out_width`
/// pixels of half size to the coordinates of the enlarged canvas: [N, 2, 3]. Half a pixel is what
/// the filters of even length shift by.
at::Tensor normalized_maps(const std::vector<Affine>& sources, const Canvas& canvas,
                           double out_height, double out_width) {
  const auto& wide = canvas.widest;
  const double canvas_width = static_cast<double>(canvas.width + wide.left + wide.right);
  const double canvas_height = static_cast<double>(canvas.height + wide.top + wide.bottom);
  const std::array<double, 2> canvas_side = {canvas_width, canvas_height};
  const std::array<double, 2> center_shift = {static_cast<double>(wide.left - wide.right) / 2,
                                              static_cast<double>(wide.top - wide.bottom) / 2};
  std::vector<double> values;
  for (const Affine& source : sources) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto& row = source.m[axis];
      const double to_canvas = 2 / canvas_side[axis];
      const double constant = (row[0] + row[1]) / 4 + row[2] + center_shift[axis] - 0.25;
      values.insert(values.end(), {row[0] * out_width / 4 * to_canvas,
                                   row[1] * out_height / 4 * to_canvas, constant * to_canvas});
    }
  }
  return at::tensor(values, at::kDouble).view({-1, 2, 3});
}

/// Returns the normalized coordinates of the centers of pixels, from -1 to 1 over their axis.
at::Tensor pixel_centers(std::int64_t count) {
  return at::arange(count, at::kDouble).mul(2).add(1).div(count).sub(1);
}

/// Returns where the pixels of a result come from, [N, height, width, 2], by maps as above. It is
/// a sum and not a product of matrices: in TF32 that would move pixels by tenths of one.
at::Tensor sampling_grid(const at::Tensor& maps, std::int64_t height, std::int64_t width,
                         const at::Tensor& like) {
  const auto factor = [&](std::int64_t column) {
    return maps.select(2, column).view({-1, 1, 1, 2});
  };
  const auto sent = [&](const at::Tensor& part) {
    return kernels::sent_to(like.device(), part.to(like.scalar_type()));
  };
  const auto along_x = factor(0) * pixel_centers(width).view({1, 1, -1, 1});
  const auto along_y = factor(1) * pixel_centers(height).view({1, -1, 1, 1}) + factor(2);
  return sent(along_x) + sent(along_y);
}

at::Tensor reduce(const at::Tensor& x, const at::Tensor& filter) {
  constexpr std::int64_t kTaps = kSym6.size();
  constexpr std::int64_t kCrop = 2 * kFilterMargin;
  return kernels::upfirdn2d(x, filter,
                            {.down_x = 2,
                             .down_y = 2,
                             .pad_left = (kTaps - 1) / 2 - kCrop,
                             .pad_right = (kTaps - 2) / 2 - kCrop,
                             .pad_top = (kTaps - 1) / 2 - kCrop,
                             .pad_bottom = (kTaps - 2) / 2 - kCrop,
                             .flip_filter = true});
}

}  // namespace

at::Tensor affine_resample(const at::Tensor& x, const std::vector<Affine>& sources) {
  Canvas canvas{.margins = {}, .widest = {}, .height = x.size(2), .width = x.size(3)};
  for (const Affine& source : sources)
    canvas.margins.push_back(margins_of(source, canvas.height, canvas.width));
  canvas.widest = widest(canvas.margins);
  const auto filter = kernels::sent_to(x.device(), kernels::setup_filter(kSym6, x.scalar_type()));
  const auto padded = blank_beyond_margins(mirrored_padding(x, canvas.widest), canvas, 1);
  const auto enlarged = blank_beyond_margins(kernels::upsample2d(padded, filter), canvas, 2);
  const auto out_height = (canvas.height + 2 * kFilterMargin) * 2;
  const auto out_width = (canvas.width + 2 * kFilterMargin) * 2;
  const auto maps = normalized_maps(sources, canvas, static_cast<double>(out_height),
                                    static_cast<double>(out_width));
  const auto grid = sampling_grid(maps, out_height, out_width, x);
  return reduce(grid_sample(enlarged, grid), filter);
}

}  // namespace ganscale::augment
