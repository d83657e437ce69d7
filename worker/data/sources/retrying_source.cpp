#include "data/sources/retrying_source.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "base/log.h"
#include "base/random.h"
#include "data/formats/file_bytes.h"

namespace ganscale::data {

double retry_pause_seconds(const RetryPolicy& policy, std::int64_t index, int attempt) {
  const double pause =
      std::min(policy.first_pause_seconds * std::exp2(attempt - 1), policy.longest_pause_seconds);
  const auto word = random_block(policy.seed, Stream::kReadPause, static_cast<std::uint64_t>(index),
                                 static_cast<std::uint32_t>(attempt), 0)[0];
  return pause * (0.5 + 0.5 * static_cast<double>(word) / 0x1p32);
}

void RetryingSource::read(std::int64_t index, Record& record) const {
  const auto named = [&](const std::string& what) {
    const std::string where = describe(index);
    return what.find(where) == std::string::npos ? what + ": " + where : what;
  };
  for (int attempt = 1;; ++attempt) {
    try {
      source_->read(index, record);
      return;
    } catch (const TransientReadError& error) {
      if (attempt >= policy_.attempts) {
        throw TransientReadError("read failed " + std::to_string(attempt) +
                                 " times: " + named(error.what()));
      }
      log::warning("Retrying a read", {{"attempt", attempt}, {"reason", named(error.what())}});
    } catch (const StorageError& error) {
      throw StorageError(named(error.what()));
    } catch (const DataError& error) {
      throw DataError(named(error.what()));
    }
    repeated_reads_.fetch_add(1, std::memory_order_relaxed);
    pause_(retry_pause_seconds(policy_, index, attempt));
  }
}

SourceCounts RetryingSource::counts() const {
  SourceCounts counts = source_->counts();
  counts.repeated_reads += repeated_reads_.load(std::memory_order_relaxed);
  return counts;
}

std::unique_ptr<Source> retrying(std::unique_ptr<Source> source) {
  return std::make_unique<RetryingSource>(std::move(source),
                                          RetryPolicy{.seed = std::random_device()()});
}

}  // namespace ganscale::data
