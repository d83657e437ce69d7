#include "data/loader/prefetch_meter.h"

#include <algorithm>
#include <utility>

namespace ganscale::data {
namespace {

constexpr std::int64_t kIntervalBatches = 2;
constexpr double kLeastSeconds = 0.005;
constexpr double kMostSeconds = 10;
constexpr double kLate = 1.5;  // times what the batches of an interval usually take

}  // namespace

PrefetchMeter::PrefetchMeter(const PrefetchRange& range, std::int64_t records_per_batch, double now)
    : range_(range), records_per_batch_(records_per_batch) {
  state_.limits = state_.calm = range.least;
  current_.start = now;
}

void PrefetchMeter::add_read(double read_seconds, double busy_seconds) {
  current_.latencies.push_back(static_cast<float>(read_seconds));
  current_.busy += busy_seconds;
}

void PrefetchMeter::add_batch(double now) {
  if (std::exchange(has_started_, true)) {
    ++current_.batches;
  } else {
    current_ = {.start = now};
  }
}

double PrefetchMeter::latest_end() const {
  double seconds = kMostSeconds;
  if (state_.records_per_second > 0) {
    const auto records = static_cast<double>(kIntervalBatches * records_per_batch_);
    seconds = std::clamp(kLate * records / state_.records_per_second, kLeastSeconds, kMostSeconds);
  }
  return current_.start + seconds;
}

bool PrefetchMeter::is_over(double now) const {
  const bool complete =
      current_.batches >= kIntervalBatches && now >= current_.start + kLeastSeconds;
  return complete || now >= latest_end();
}

void PrefetchMeter::end_interval(double now, std::span<const float> ages_seconds) {
  current_.elapsed = now - current_.start;
  std::vector<float> latencies = previous_.latencies;
  latencies.insert(latencies.end(), current_.latencies.begin(), current_.latencies.end());
  latencies.insert(latencies.end(), ages_seconds.begin(), ages_seconds.end());
  reads_ = summarize(latencies);
  const double elapsed = previous_.elapsed + current_.elapsed;
  state_ =
      next_state(state_,
                 {.read_count = std::ssize(latencies),
                  .reads = reads_,
                  .elapsed = elapsed,
                  .stalled = previous_.stalled + current_.stalled,
                  .busy_threads = (previous_.busy + current_.busy) / elapsed,
                  .records_delivered = (previous_.batches + current_.batches) * records_per_batch_,
                  .records_per_batch = records_per_batch_},
                 range_);
  previous_ = std::exchange(current_, {.start = now});
}

}  // namespace ganscale::data
