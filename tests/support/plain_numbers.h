#pragma once

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace ganscale {

/// Returns numbers in [-1, 1] without pattern, the same on every machine: float64.
inline at::Tensor numbers(at::IntArrayRef shape, double offset) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count, at::kDouble).mul(1.7).add(offset).sin().view(shape);
}

}  // namespace ganscale
