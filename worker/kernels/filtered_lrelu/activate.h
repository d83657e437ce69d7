#pragma once

#include <cstdint>

/// The activation of filtered_lrelu() on a CPU, without tensors.
namespace ganscale::kernels {

/// clamp(gain * leaky_relu(x)).
struct ActivationRule {
  double gain = 1;
  double slope = 0.2;
  double clamp = -1;  ///< negative: none
};

/// What an activation multiplied a value by: gain * slope, gain or 0.
enum class Piece : std::uint8_t { kNegative = 0, kPositive = 1, kClamped = 2 };

/// Activates values in place, on all threads of ATen, and notes the piece of each in `pieces`
/// unless it is null. T is float or double.
template <class T>
void activate(T* values, Piece* pieces, std::int64_t count, const ActivationRule& rule);

/// Multiplies values in place by what the activation multiplied them by.
template <class T>
void multiply_by_slopes(T* values, const Piece* pieces, std::int64_t count,
                        const ActivationRule& rule);

}  // namespace ganscale::kernels
