#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace ganscale::kernels {

/// The filters of filtered_lrelu(): [K], along both axes, or [Ky, Kx], floating and on x's device;
/// undefined: a single tap of 1.
struct UpDownFilters {
  at::Tensor up = {};
  at::Tensor down = {};
};

/// How filtered_lrelu() computes.
struct FilteredLrelu {
  std::int64_t up = 1;        ///< one sample becomes itself and up - 1 zeros, along both axes
  std::int64_t down = 1;      ///< of `down` filtered samples the first is kept
  std::int64_t pad_left = 0;  ///< zeros around the upsampled image; negative crops
  std::int64_t pad_right = 0;
  std::int64_t pad_top = 0;
  std::int64_t pad_bottom = 0;
  double gain = 1;                   ///< of the activation, positive
  double slope = 0.2;                ///< of the leaky ReLU below 0, not negative
  std::optional<double> clamp = {};  ///< clamps what is activated to [-clamp, clamp]
  bool flip_filters = false;         ///< false: convolution; true: correlation
};

/// Applies a leaky ReLU where the image is sampled more finely, so that the frequencies that it
/// adds do not alias: adds the bias, upsamples x with zeros, pads it, filters it with gain up^2,
/// activates it, filters and thins it out. Differentiable in x and bias as often as needed.
///
/// Paper:   Karras et al. 2021, arXiv:2106.12423, Section 3.1 and Appendix B ("filtered
///          nonlinearities").
/// x:       [N, C, H, W], not empty, floating.
/// bias:    [C] of x's dtype, or undefined.
/// Returns: [N, C, H', W'] of x's dtype, with H' = (H * up + pad_top + pad_bottom + 1 - up taps -
///          down taps) / down + 1; channels last if upfirdn2d() keeps it.
/// Graph:   on a CPU a byte for each upsampled value is kept, and one image at a time is upsampled;
///          elsewhere upfirdn2d() and bias_act() compute, one after the other.
at::Tensor filtered_lrelu(const at::Tensor& x, const at::Tensor& bias, const UpDownFilters& filters,
                          const FilteredLrelu& options);

}  // namespace ganscale::kernels
