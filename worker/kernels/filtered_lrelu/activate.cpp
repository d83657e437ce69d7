#include "kernels/filtered_lrelu/activate.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace ganscale::kernels {
namespace {

constexpr std::int64_t kGrain = 16384;  // values of a thread's share
constexpr std::int64_t kBlock = 1024;   // values that stay in the cache between two loops

// The compiler vectorizes these loops, which neither branch nor call.

template <class T>
void note_signs(const T* values, Piece* __restrict__ pieces, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    pieces[i] = values[i] > 0 ? Piece::kPositive : Piece::kNegative;
}

template <class T>
void note_clamped(const T* values, T bound, Piece* __restrict__ pieces, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_inside = values[i] >= -bound && values[i] <= bound;
    pieces[i] = is_inside ? pieces[i] : Piece::kClamped;
  }
}

template <class T>
void bend(T* values, std::int64_t count, const ActivationRule& rule) {
  const T above = static_cast<T>(rule.gain);
  const T below = static_cast<T>(rule.gain * rule.slope);
  for (std::int64_t i = 0; i < count; ++i) values[i] *= values[i] > 0 ? above : below;
}

template <class T>
void clamp(T* values, std::int64_t count, T bound) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::min(std::max(values[i], -bound), bound);
}

template <class T>
void activate_block(T* values, Piece* pieces, std::int64_t count, const ActivationRule& rule) {
  if (pieces != nullptr) note_signs(values, pieces, count);
  bend(values, count, rule);
  if (rule.clamp < 0) return;
  const T bound = static_cast<T>(rule.clamp);
  if (pieces != nullptr) note_clamped(values, bound, pieces, count);
  clamp(values, count, bound);
}

}  // namespace

template <class T>
void activate(T* values, Piece* pieces, std::int64_t count, const ActivationRule& rule) {
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += kBlock) {
      activate_block(values + i, pieces == nullptr ? nullptr : pieces + i,
                     std::min(kBlock, end - i), rule);
    }
  });
}

template <class T>
void multiply_by_slopes(T* values, const Piece* pieces, std::int64_t count,
                        const ActivationRule& rule) {
  const T above = static_cast<T>(rule.gain);
  const T below = static_cast<T>(rule.gain * rule.slope);
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T slope = pieces[i] == Piece::kPositive ? above : below;
      values[i] *= pieces[i] == Piece::kClamped ? T{0} : slope;
    }
  });
}

template void activate(float*, Piece*, std::int64_t, const ActivationRule&);
template void activate(double*, Piece*, std::int64_t, const ActivationRule&);
template void multiply_by_slopes(float*, const Piece*, std::int64_t, const ActivationRule&);
template void multiply_by_slopes(double*, const Piece*, std::int64_t, const ActivationRule&);

}  // namespace ganscale::kernels
