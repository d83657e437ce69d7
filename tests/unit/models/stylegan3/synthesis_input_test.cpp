#include "models/stylegan3/synthesis_input.h"

#include <ATen/ATen.h>

#include <cmath>

#include "models/contract/image_motion.h"
#include "support/check_gradients.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan3 {
namespace {

constexpr int kChannels = 64;

/// An input of 16 by 16 pixels, 8 of them a width apart, in float64.
SynthesisInput make_input() {
  SynthesisInput input({.channels = kChannels, .size = {16, 16}, .rate = 8, .cutoff = 2},
                       /*w_dim=*/3);
  input.initialize(5, "input");
  input.to(at::kDouble);
  const at::NoGradGuard no_grad;
  named_state(input).at("weight").copy_(at::eye(kChannels));
  return input;
}

TEST(SynthesisInput, DrawsWavesUpToTheHighestFrequency) {
  const SynthesisInput input = make_input();
  const NamedTensors state = named_state(input);
  const at::Tensor radii = state.at("freqs").square().sum(1).sqrt();
  EXPECT_LE(radii.max().item<double>(), 2 * (1 + 1e-6));
  EXPECT_GT(radii.max().item<double>(), 1.5);
  const at::Tensor& phases = state.at("phases");
  EXPECT_LE(phases.abs().max().item<double>(), 0.5);
  EXPECT_LT(phases.min().item<double>(), -0.3);
  EXPECT_GT(phases.max().item<double>(), 0.3);
}

// One pixel, an eighth of a width, and a quarter of a turn about the center.
TEST(SynthesisInput, MovesAndTurnsAsItsTransformSays) {
  const at::NoGradGuard no_grad;
  const SynthesisInput input = make_input();
  const at::Tensor w = fixed_numbers({2, 3}, 0);
  const at::Tensor still = input.forward(w);
  input.transform().copy_(transform_of({.right = 1.0 / 8, .down = -2.0 / 8}));
  const at::Tensor moved = input.forward(w);
  EXPECT_TRUE(at::allclose(moved.slice(2, 0, 14).slice(3, 1), still.slice(2, 2).slice(3, 0, 15),
                           1e-9, 1e-9));
  input.transform().copy_(transform_of({.degrees = 90}));
  EXPECT_TRUE(at::allclose(input.forward(w), still.rot90(1, {2, 3}), 1e-9, 1e-9));
}

// A shrunk image has twice the frequencies, of which the samples hold up to 4.
TEST(SynthesisInput, FadesWavesThatItsSamplesCannotHold) {
  const at::NoGradGuard no_grad;
  const SynthesisInput input = make_input();
  const at::Tensor w = fixed_numbers({1, 3}, 0);
  input.transform().copy_(at::diag(at::tensor({3.0, 3.0, 1.0}, at::kDouble)));
  const at::Tensor radii = named_state(input).at("freqs").square().sum(1).sqrt();
  const at::Tensor peaks = input.forward(w).abs().amax({0, 2, 3});
  EXPECT_EQ(peaks.masked_select(radii * 3 > 4).abs().max().item<double>(), 0);
  EXPECT_GT(peaks.masked_select(radii * 3 < 2).min().item<double>(), 0);
}

TEST(SynthesisInput, LetsItsStyleMoveIt) {
  const at::NoGradGuard no_grad;
  const SynthesisInput input = make_input();
  const at::Tensor still = input.forward(at::zeros({1, 3}, at::kDouble));
  // (cos, sin, x, y): the length of the first two scales all four.
  named_state(input).at("affine.bias").copy_(at::tensor({2.0, 0.0, 2.0 / 8, 0.0}, at::kDouble));
  const at::Tensor moved = input.forward(at::zeros({1, 3}, at::kDouble));
  EXPECT_TRUE(at::allclose(moved.slice(3, 1), still.slice(3, 0, 15), 1e-9, 1e-9));
}

}  // namespace
}  // namespace ganscale::models::stylegan3
