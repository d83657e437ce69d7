#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::models::stylegan3 {

/// A low-pass filter with a Kaiser window. Frequencies are in cycles per image width.
struct LowPass {
  int taps = 1;
  double cutoff = 0;
  double transition = 0;  ///< full width of the band between pass and stop
  double sampling_rate = 0;
  bool is_radial = false;  ///< the same in all directions
};

/// Returns the taps, with sum 1, in float64: [taps]; [taps, taps] if it is radial; undefined for a
/// single one.
///
/// Paper:  Karras et al. 2021, arXiv:2106.12423, Appendix C.1; the window by Kaiser 1974.
/// Throws: Error (kBug) for a radial filter with an odd number of taps.
at::Tensor design_low_pass(const LowPass& filter);

}  // namespace ganscale::models::stylegan3
