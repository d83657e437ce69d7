#pragma once

#include <cstdint>

#include "data/loader/data_config.h"
#include "data/loader/prefetch_control.h"

namespace ganscale::data {

/// Returns what the limits of a prefetcher may be.
///
/// Memory:  the batches, one more for the buffer that the consumer returns, and the records of the
///          threads that only a congestion brings fit into the limit; these take at most a quarter.
/// cores:   that this process may keep busy.
/// Throws:  ConfigError if the memory limit holds no batch.
PrefetchRange prefetch_range(const PrefetchConfig& config, std::int64_t image_bytes,
                             std::int64_t records_per_batch, int cores);

}  // namespace ganscale::data
