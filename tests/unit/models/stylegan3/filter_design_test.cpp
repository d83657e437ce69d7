#include "models/stylegan3/filter_design.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/expect_error.h"

namespace ganscale::models::stylegan3 {
namespace {

/// Returns the magnitude of a filter's response to waves along x, of some cycles per image width.
double response(const at::Tensor& taps, double frequency, double sampling_rate) {
  const at::Tensor line = taps.dim() == 2 ? taps.sum(0) : taps;
  const at::Tensor turns =
      at::arange(line.numel(), at::kDouble) * (2 * std::numbers::pi * frequency / sampling_rate);
  return std::hypot((line * turns.cos()).sum().item<double>(),
                    (line * turns.sin()).sum().item<double>());
}

TEST(DesignLowPass, PassesWhatIsBelowAndStopsWhatIsAbove) {
  for (const bool is_radial : {false, true}) {
    const at::Tensor taps = design_low_pass(
        {.taps = 48, .cutoff = 8, .transition = 6, .sampling_rate = 64, .is_radial = is_radial});
    EXPECT_NEAR(response(taps, 0, 64), 1, 1e-12);
    EXPECT_NEAR(response(taps, 3, 64), 1, 0.01);
    EXPECT_NEAR(response(taps, 8, 64), 0.5, 0.03);
    EXPECT_LT(response(taps, 14, 64), 0.01);
  }
}

// A quarter of a turn, and the diagonal as the axis.
TEST(DesignLowPass, IsTheSameInAllDirectionsIfItIsRadial) {
  const at::Tensor taps = design_low_pass(
      {.taps = 12, .cutoff = 4, .transition = 8, .sampling_rate = 32, .is_radial = true});
  EXPECT_TRUE(at::allclose(taps, taps.rot90(), 0, 1e-15));
  const at::Tensor line =
      design_low_pass({.taps = 12, .cutoff = 4, .transition = 8, .sampling_rate = 32});
  EXPECT_FALSE(at::allclose(taps, line.outer(line), 0, 1e-3));
}

TEST(DesignLowPass, OfOneTapIsUndefined) { EXPECT_FALSE(design_low_pass({.taps = 1}).defined()); }

TEST(DesignLowPass, HasNoRadialFilterWithATapAtItsCenter) {
  expect_error(ExitCode::kBug, "no tap at its center", [] {
    design_low_pass(
        {.taps = 11, .cutoff = 4, .transition = 8, .sampling_rate = 32, .is_radial = true});
  });
}

}  // namespace
}  // namespace ganscale::models::stylegan3
