#pragma once

#include <cstdint>

namespace ganscale::kernels {

/// Returns the sum of a[i] * b[i], for references: in several partial sums, so that the compiler can
/// vectorize.
template <class T, class Factors>
T sum_of_products(const T* a, const Factors& b, std::int64_t length) {
  constexpr std::int64_t kLanes = 16;
  T sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  T total = 0;
  for (; i < length; ++i) total += a[i] * b[i];
  for (const T sum : sums) total += sum;
  return total;
}

}  // namespace ganscale::kernels
