#pragma once

#include <cstdint>

#include "data/image/source.h"

namespace ganscale::data {

/// What a prefetcher has measured.
struct LoaderReadings {
  double wait_seconds = 0;         ///< in all, that the training has waited for batches
  int depth = 0;                   ///< batches that may be ready or being read at a time
  int reader_threads = 0;          ///< a released one ends after its current read
  std::int64_t batches_bytes = 0;  ///< of the batches that are ready or being read
  double read_median_seconds = 0;  ///< of the reads in the latest window
  double read_tail_seconds = 0;    ///< of the same: 95 of 100 take no longer
  double calm_tail_seconds = 0;    ///< the tail while storage is not congested
  bool congested = false;
  std::int64_t congestions = 0;  ///< so far
  SourceCounts source = {};
};

}  // namespace ganscale::data
