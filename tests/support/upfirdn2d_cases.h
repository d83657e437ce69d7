#pragma once

#include <vector>

#include "kernels/upfirdn2d/fill.h"

namespace ganscale {

/// Resamplings that cover different edge cases: factors that share a divisor and that do not,
/// sides that differ, crops, pads wider than the filter, outputs of one pixel.
inline std::vector<kernels::Upfirdn> upfirdn2d_cases() {
  return {
      {},
      {.flip_filter = true},
      {.up_x = 2,
       .up_y = 2,
       .pad_left = 2,
       .pad_right = 1,
       .pad_top = 2,
       .pad_bottom = 1,
       .gain = 4},
      {.down_x = 2, .down_y = 2, .pad_left = 1, .pad_right = 1, .pad_top = 1, .pad_bottom = 1},
      {.up_x = 3, .down_x = 2, .pad_left = 5, .pad_right = -2, .pad_top = -1, .flip_filter = true},
      {.up_y = 2, .down_x = 3, .down_y = 4, .pad_left = 7, .pad_right = 9, .gain = -0.5},
      {.up_x = 4, .up_y = 6, .down_x = 2, .down_y = 4, .pad_top = 11, .pad_bottom = -3},
      {.up_x = 2, .up_y = 2, .down_x = 2, .down_y = 2, .pad_left = 3, .pad_right = 2, .gain = 2},
      {.down_x = 5, .down_y = 7, .pad_left = -2, .pad_bottom = 3},
      {.up_x = 2, .pad_left = 20, .pad_right = -13, .pad_top = 20, .pad_bottom = -5},
  };
}

}  // namespace ganscale
