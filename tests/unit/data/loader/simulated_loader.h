#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "data/loader/prefetch_meter.h"
#include "support/throttled_source.h"

namespace ganscale::data {

/// A prefetcher and its training on a virtual clock: storage is a Throttle, a step of the training
/// takes a fixed time, decoding none.
class SimulatedLoader {
 public:
  struct Options {
    PrefetchRange range;
    Throttle throttle;
    int records_per_batch = 16;
    double step_seconds = 0;
  };
  /// The state after an interval of measurement.
  struct Row {
    double time;
    PrefetchState state;
  };

  explicit SimulatedLoader(const Options& options)
      : options_(options), meter_(options.range, options.records_per_batch, 0) {}

  /// Runs until this time.
  void run(double until_seconds) {
    while (now_ < until_seconds) {
      start_reads();
      now_ = next_event();
      end_reads();
      train();
    }
  }

  const std::vector<Row>& rows() const { return rows_; }
  /// Returns when the training took its batches.
  const std::vector<double>& deliveries() const { return deliveries_; }

 private:
  struct Read {
    double start;
    std::int64_t batch;
  };

  bool has_work() const {
    return open_.empty() || claimed_ < options_.records_per_batch ||
           static_cast<int>(open_.size()) < meter_.state().limits.depth;
  }

  void start_reads() {
    while (static_cast<int>(reading_.size()) < meter_.state().limits.threads && has_work()) {
      if (open_.empty() || claimed_ == options_.records_per_batch) {
        open_.push_back(options_.records_per_batch);
        claimed_ = 0;
      }
      ++claimed_;
      const auto batch = delivered_ + std::ssize(open_) - 1;
      const double seconds = trouble_of(options_.throttle, reads_++, now_).seconds;
      reading_.emplace(now_ + seconds, Read{now_, batch});
    }
  }

  double next_event() const {
    double next = std::max(now_, step_end_);
    if (step_end_ <= now_) next = std::max(now_, meter_.latest_end());
    if (!reading_.empty()) next = std::min(next, reading_.begin()->first);
    return next;
  }

  void end_reads() {
    while (!reading_.empty() && reading_.begin()->first <= now_) {
      const Read read = reading_.begin()->second;
      meter_.add_read(now_ - read.start, now_ - read.start);
      --open_[static_cast<std::size_t>(read.batch - delivered_)];
      reading_.erase(reading_.begin());
    }
  }

  /// Takes batches as long as the training is ready for the next one and it is complete.
  void train() {
    if (now_ < step_end_) return;
    meter_.add_wait(now_ - waiting_since());
    waited_until_ = now_;
    while (now_ >= step_end_ && !open_.empty() && open_.front() == 0) {
      open_.pop_front();
      ++delivered_;
      if (open_.empty()) claimed_ = 0;
      deliveries_.push_back(now_);
      meter_.add_batch(now_);
      step_end_ = now_ + options_.step_seconds;
    }
    adapt();
  }

  double waiting_since() const { return std::max(step_end_, waited_until_); }

  void adapt() {
    if (!meter_.is_over(now_)) return;
    std::vector<float> ages;
    for (const auto& [end, read] : reading_) {
      const double age = now_ - read.start;
      if (age > meter_.state().calm_tail) ages.push_back(static_cast<float>(age));
    }
    meter_.end_interval(now_, ages);
    rows_.push_back({now_, meter_.state()});
  }

  Options options_;
  PrefetchMeter meter_;
  double now_ = 0;
  double step_end_ = 0;
  double waited_until_ = 0;
  int claimed_ = 0;             // records of the last open batch
  std::deque<int> open_;        // unfinished records of the batches that are ready or being read
  std::int64_t delivered_ = 0;  // batches
  std::int64_t reads_ = 0;
  std::multimap<double, Read> reading_;  // by their end
  std::vector<Row> rows_;
  std::vector<double> deliveries_;
};

}  // namespace ganscale::data
