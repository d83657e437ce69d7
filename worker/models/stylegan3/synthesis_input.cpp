#include "models/stylegan3/synthesis_input.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <numbers>

#include "models/layers/initial_weights.h"

namespace ganscale::models::stylegan3 {
namespace {

/// Returns the places of `count` pixels along an axis, in shorter sides of an image from its center. like: of the
/// device and type.
at::Tensor places(int count, int rate, const at::Tensor& like) {
  return (like.new_ones({count}).cumsum(0) - (0.5 + count / 2.0)) / rate;
}

/// Returns matrices [N, 3, 3] of their elements, [N] each, row by row.
at::Tensor matrices(const std::vector<at::Tensor>& elements) {
  return at::stack(elements, 1).view({-1, 3, 3});
}

/// Returns the matrices that move the waves of each image, [N, 3, 3].
at::Tensor motions(const at::Tensor& moves, const at::Tensor& transform) {
  const at::Tensor length = at::linalg_vector_norm(moves.narrow(1, 0, 2), 2, {1}, /*keepdim=*/true);
  const auto t = (moves / length).unbind(1);
  const at::Tensor zero = at::zeros_like(t[0]);
  const at::Tensor one = at::ones_like(t[0]);
  const at::Tensor turns = matrices({t[0], -t[1], zero, t[1], t[0], zero, zero, zero, one});
  const at::Tensor shifts = matrices({one, zero, -t[2], zero, one, -t[3], zero, zero, one});
  return at::matmul(at::matmul(turns, shifts), transform);
}

}  // namespace

at::Tensor fourier_features(const at::Tensor& moves, const Waves& waves, const Signal& signal) {
  const at::Tensor motions = stylegan3::motions(moves, waves.transform);
  const at::Tensor turn = motions.slice(1, 0, 2).slice(2, 0, 2);
  const at::Tensor shift = motions.slice(1, 0, 2).slice(2, 2, 3);
  const at::Tensor turned = at::matmul(waves.freqs, turn);  // [N, C, 2]
  const at::Tensor shifted = waves.phases + at::matmul(waves.freqs, shift).squeeze(2);
  // A wave that is turned or shrunk beyond what the samples hold fades.
  const at::Tensor excess = at::linalg_vector_norm(turned, 2, {2}) - signal.cutoff;
  const at::Tensor amplitudes =
      (1 - excess / (signal.rate / 2.0 - signal.cutoff)).clamp_min(0).clamp_max(1);
  const at::Tensor x = places(signal.size.width, signal.rate, moves).view({1, 1, -1, 1});
  const at::Tensor y = places(signal.size.height, signal.rate, moves).view({1, -1, 1, 1});
  const auto per_wave = [](const at::Tensor& numbers) {  // [N, C]
    return numbers.unsqueeze(1).unsqueeze(1);
  };
  const at::Tensor turns =
      x * per_wave(turned.select(2, 0)) + y * per_wave(turned.select(2, 1)) + per_wave(shifted);
  const at::Tensor pixels = (turns * (2 * std::numbers::pi)).sin() * per_wave(amplitudes);
  const double gain = 1 / std::sqrt(static_cast<double>(signal.channels));
  return at::matmul(pixels, waves.weight.t() * gain).permute({0, 3, 1, 2});
}

SynthesisInput::SynthesisInput(const Signal& signal, int w_dim)
    : signal_(signal),
      affine_(register_module(
          "affine", std::make_shared<stylegan::FullyConnected>(
                        w_dim, 4, stylegan::FullyConnectedOptions{.first_bias = {1, 0, 0, 0}}))),
      weight_(register_parameter("weight", at::zeros({signal.channels, signal.channels}))),
      freqs_(register_buffer("freqs", at::zeros({signal.channels, 2}))),
      phases_(register_buffer("phases", at::zeros({signal.channels}))),
      transform_(register_buffer("transform", at::eye(3))) {}

void SynthesisInput::initialize(std::uint64_t seed, const std::string& name) {
  const at::NoGradGuard no_grad;
  affine_->weight().zero_();
  draw_normal(freqs_, seed, name + ".freqs", 0, 1);
  const at::Tensor radii = freqs_.square().sum(1, /*keepdim=*/true).sqrt();
  freqs_.div_(radii * radii.square().div(4).exp()).mul_(signal_.cutoff);
  draw_normal(phases_, seed, name + ".phases", 0, 1);
  // The distribution function of a normal number is uniform.
  phases_.copy_(phases_.div(std::numbers::sqrt2).erf().div(2));
}

at::Tensor SynthesisInput::forward(const at::Tensor& w) const {
  return fourier_features(affine_->forward(w), {weight_, freqs_, phases_, transform_}, signal_);
}

}  // namespace ganscale::models::stylegan3
