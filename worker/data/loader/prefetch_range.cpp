#include "data/loader/prefetch_range.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr int kStartThreads = 2;
constexpr int kCalmThreadsPerCore = 4;
constexpr int kCongestedThreadsPerThread = 20;
constexpr int kMostThreads = 256;  // unless the configuration says more
constexpr int kMostBatches = 64;   // unless the configuration says more

/// Returns the range of threads; its depths are not set.
PrefetchRange thread_range(const PrefetchConfig& config, std::int64_t image_bytes, int cores) {
  PrefetchRange range;
  const bool adapts = config.reader_threads == 0 && config.congestion_aware;
  range.least.threads =
      config.reader_threads > 0 ? config.reader_threads : std::min(kStartThreads, cores);
  range.calm_threads = adapts ? kCalmThreadsPerCore * cores : range.least.threads;
  range.most.threads = range.calm_threads;
  if (!config.congestion_aware) return range;
  if (config.thread_limit > 0) {
    range.least.threads = std::min(range.least.threads, config.thread_limit);
    range.calm_threads = std::min(range.calm_threads, config.thread_limit);
  }
  const int wanted = config.thread_limit > 0
                         ? config.thread_limit
                         : std::min(kCongestedThreadsPerThread * range.calm_threads, kMostThreads);
  const std::int64_t by_memory = config.memory_limit_bytes / 4 / image_bytes;
  range.most.threads =
      std::max(range.calm_threads, static_cast<int>(std::min<std::int64_t>(wanted, by_memory)));
  return range;
}

}  // namespace

PrefetchRange prefetch_range(const PrefetchConfig& config, std::int64_t image_bytes,
                             std::int64_t records_per_batch, int cores) {
  check(records_per_batch > 0, "a batch has at least one image");
  const std::int64_t batch_bytes = image_bytes * records_per_batch;
  if (config.memory_limit_bytes < batch_bytes) {
    throw ConfigError("data.prefetch.memory_limit is too small for a batch: " +
                      std::to_string(config.memory_limit_bytes) + " bytes, a batch has " +
                      std::to_string(batch_bytes));
  }
  PrefetchRange range = thread_range(config, image_bytes, cores);
  const std::int64_t added_bytes = (range.most.threads - range.calm_threads) * image_bytes;
  const std::int64_t batches = (config.memory_limit_bytes - added_bytes) / batch_bytes - 1;
  const auto room = static_cast<int>(
      std::clamp<std::int64_t>(batches, 1, std::max(config.batches, kMostBatches)));
  range.least.depth = std::min(config.batches, room);
  range.most.depth = config.congestion_aware ? room : range.least.depth;
  return range;
}

}  // namespace ganscale::data
