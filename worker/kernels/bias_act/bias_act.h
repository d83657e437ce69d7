#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "kernels/bias_act/fill.h"

namespace ganscale::kernels {

/// How bias_act() shapes its values.
struct BiasAct {
  Activation activation = Activation::kLinear;
  double gain = 1;                   ///< see default_gain()
  std::optional<double> clamp = {};  ///< clamps results to [-clamp, clamp], for float16
  double slope = 0.2;                ///< of the leaky ReLU below 0
};

/// Returns the gain that keeps the variance of normal inputs: sqrt(2) for the ReLUs and swish,
/// else 1.
///
/// Source: He et al. 2015, arXiv:1502.01852, Section 2.2; swish as in StyleGAN2.
double default_gain(Activation activation);

/// Returns clamp(gain * f(x + bias)) + addend, differentiable twice, in one pass over memory.
///
/// Paper:   Karras et al. 2020, arXiv:1912.04958, Appendix B ("fused bias and activation").
/// x:       [N, C, ...] of a floating type, contiguous or channels last, which the result keeps;
///          others are copied.
/// bias:    [C] of x's dtype, or undefined.
/// addend:  of x's shape and dtype, or undefined; a pass of its own unless f is piecewise linear.
/// Graph:   if f is piecewise linear and there is no addend, only the result is kept for the
///          backward pass, else x; the derivative is 0 where a value was clamped.
at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, const BiasAct& options,
                    const at::Tensor& addend = {});

}  // namespace ganscale::kernels
