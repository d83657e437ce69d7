#pragma once

#include <cstdint>
#include <functional>

namespace ganscale::data {

/// Runs work(thread, index) for each index in [0, count) on `threads` threads, with thread in
/// [0, threads), and waits for all. Rethrows the first exception, after which no new index is
/// started.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(int thread, std::int64_t index)>& work);

}  // namespace ganscale::data
