#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "data/image/source.h"

namespace ganscale::data {

/// How reads that failed for a transient reason are repeated.
struct RetryPolicy {
  int attempts = 6;
  double first_pause_seconds = 0.1;  ///< doubles with each attempt
  double longest_pause_seconds = 5;
  std::uint64_t seed = 0;  ///< different on all ranks, so that they do not come back together
};

/// Returns how long to wait after the attempt number `attempt` (from 1) to read a record: half of
/// the policy's pause, and a random part of the other half.
double retry_pause_seconds(const RetryPolicy& policy, std::int64_t index, int attempt);

/// Another source whose reads are repeated after a TransientReadError, with growing pauses.
///
/// All errors are of the type that the source throws, with file and record.
class RetryingSource : public Source {
 public:
  using Pause = std::function<void(double seconds)>;

  RetryingSource(
      std::unique_ptr<Source> source, RetryPolicy policy,
      Pause pause =
          [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
          })
      : source_(std::move(source)), policy_(policy), pause_(std::move(pause)) {}

  std::int64_t record_count() const override { return source_->record_count(); }
  std::int64_t label_count() const override { return source_->label_count(); }
  std::vector<std::string> label_names() const override { return source_->label_names(); }
  std::int64_t label(std::int64_t index) const override { return source_->label(index); }
  std::string describe(std::int64_t index) const override { return source_->describe(index); }
  void read(std::int64_t index, Record& record) const override;
  SourceCounts counts() const override;

 private:
  std::unique_ptr<Source> source_;
  RetryPolicy policy_;
  Pause pause_;
  mutable std::atomic<std::int64_t> repeated_reads_ = 0;
};

/// Returns the source with the reads of the default policy, which pauses randomly.
std::unique_ptr<Source> retrying(std::unique_ptr<Source> source);

}  // namespace ganscale::data
