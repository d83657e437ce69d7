#include "kernels/filtered_lrelu/activate.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>

namespace ganscale::kernels {
namespace {

constexpr std::int64_t kGrain = 16384;  // values of a thread's share

}  // namespace

template <class T>
void activate(T* values, Piece* pieces, std::int64_t count, const ActivationRule& rule) {
  const T above = static_cast<T>(rule.gain);
  const T below = static_cast<T>(rule.gain * rule.slope);
  const bool clamps = rule.clamp >= 0;
  const T bound = static_cast<T>(rule.clamp);
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const bool is_positive = values[i] > 0;
      const T y = values[i] * (is_positive ? above : below);
      const T clamped = clamps ? std::clamp(y, -bound, bound) : y;
      values[i] = clamped;
      if (pieces == nullptr) continue;
      const Piece piece = is_positive ? Piece::kPositive : Piece::kNegative;
      pieces[i] = clamped == y ? piece : Piece::kClamped;
    }
  });
}

template <class T>
void multiply_by_slopes(T* values, const Piece* pieces, std::int64_t count,
                        const ActivationRule& rule) {
  const std::array<T, 3> slopes = {static_cast<T>(rule.gain * rule.slope),
                                   static_cast<T>(rule.gain), T{0}};
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      values[i] *= slopes[static_cast<std::size_t>(pieces[i])];
    }
  });
}

template void activate(float*, Piece*, std::int64_t, const ActivationRule&);
template void activate(double*, Piece*, std::int64_t, const ActivationRule&);
template void multiply_by_slopes(float*, const Piece*, std::int64_t, const ActivationRule&);
template void multiply_by_slopes(double*, const Piece*, std::int64_t, const ActivationRule&);

}  // namespace ganscale::kernels
