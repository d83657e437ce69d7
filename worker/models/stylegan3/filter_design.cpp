#include "models/stylegan3/filter_design.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/hypot.h>
#include <ATen/ops/i0.h>
#include <ATen/ops/sinc.h>

#include <cmath>
#include <numbers>

#include "base/error.h"

namespace ganscale::models::stylegan3 {
namespace {

constexpr double kPi = std::numbers::pi;

/// Returns beta of a Kaiser window by the attenuation of the stop band in decibels.
double kaiser_beta(double attenuation) {
  if (attenuation > 50) return 0.1102 * (attenuation - 8.7);
  if (attenuation > 21) {
    return 0.5842 * std::pow(attenuation - 21, 0.4) + 0.07886 * (attenuation - 21);
  }
  return 0;
}

/// Returns the distances of the taps from the center, in taps.
at::Tensor distances(int taps) {
  return at::arange(taps, at::TensorOptions(at::kDouble)) - (taps - 1) / 2.0;
}

/// Returns the window but for a factor, which the sum of the taps cancels.
at::Tensor kaiser_window(const LowPass& filter) {
  const double width = filter.transition / (filter.sampling_rate / 2);
  const double beta = kaiser_beta(2.285 * (filter.taps - 1) * kPi * width + 7.95);
  const at::Tensor place = distances(filter.taps) / ((filter.taps - 1) / 2.0);
  return at::i0(beta * (1 - place.square()).clamp_min(0).sqrt());
}

/// Returns J1 of each number. at::special_bessel_j1() is off by up to 2e-7.
at::Tensor bessel_j1(const at::Tensor& x) {
  const at::Tensor result = x.contiguous().clone();
  auto* values = result.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < result.numel(); ++i) values[i] = std::cyl_bessel_j(1.0, values[i]);
  return result;
}

}  // namespace

at::Tensor design_low_pass(const LowPass& filter) {
  if (filter.taps == 1) return {};
  const at::Tensor window = kaiser_window(filter);
  if (!filter.is_radial) {
    const double turns = 2 * filter.cutoff / filter.sampling_rate;
    const at::Tensor taps = at::sinc(distances(filter.taps) * turns) * window;
    return taps / taps.sum();
  }
  check(filter.taps % 2 == 0, "a radial filter has no tap at its center");
  const at::Tensor line = distances(filter.taps) / filter.sampling_rate;
  const at::Tensor radius = at::hypot(line.unsqueeze(0), line.unsqueeze(1));
  const at::Tensor jinc = bessel_j1(radius * (2 * kPi * filter.cutoff)) / (radius * kPi);
  const at::Tensor taps = jinc * window.outer(window);
  return taps / taps.sum();
}

}  // namespace ganscale::models::stylegan3
