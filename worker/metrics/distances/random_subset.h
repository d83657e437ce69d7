#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::metrics {

/// Returns `size` distinct numbers in [0, count), ascending. They depend only on seed and index.
///
/// Floyd's algorithm (Bentley & Floyd 1987, "Programming pearls: a sample of brilliance") with the
/// random numbers of base/random.h. 0 <= size <= count.
std::vector<std::int64_t> random_subset(std::int64_t count, std::int64_t size, std::uint64_t seed,
                                        std::uint64_t index);

}  // namespace ganscale::metrics
