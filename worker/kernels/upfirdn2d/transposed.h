#pragma once

#include "kernels/upfirdn2d/fill.h"

namespace ganscale::kernels {

/// Returns the operation that computes the gradient of x from the result's: it gathers what a
/// pixel was scattered to. Thinning out and inserting zeros are exchanged, the filter is turned
/// around, and pads are such that tap k of output o meets pixel i where i * up = o * down + k - pad.
///
/// shape: of the operation itself, after set_out_size().
constexpr Upfirdn transposed(const UpfirdnShape& shape) {
  const Upfirdn& options = shape.options;
  const std::int64_t left = shape.filter.width - 1 - options.pad_left;
  const std::int64_t top = shape.filter.height - 1 - options.pad_top;
  const auto right = (shape.in.width - 1) * options.up_x + shape.filter.width -
                     shape.out.width * options.down_x - left;
  const auto bottom = (shape.in.height - 1) * options.up_y + shape.filter.height -
                      shape.out.height * options.down_y - top;
  return {.up_x = options.down_x,
          .up_y = options.down_y,
          .down_x = options.up_x,
          .down_y = options.up_y,
          .pad_left = left,
          .pad_right = right,
          .pad_top = top,
          .pad_bottom = bottom,
          .gain = options.gain,
          .flip_filter = !options.flip_filter};
}

}  // namespace ganscale::kernels
