#pragma once

#include <cstdint>
#include <functional>

namespace ganscale::data {

/// Runs work(thread, index) for each index in [0, count), on `threads` threads; thread is in
/// [0, threads). Returns when all is done; rethrows the first exception, after which no further
/// index is begun.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(int thread, std::int64_t index)>& work);

}  // namespace ganscale::data
