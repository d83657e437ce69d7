#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "data/loader/prefetcher.h"
#include "data/sources/open_source.h"
#include "support/throttled_source.h"

namespace ganscale::data {
namespace {

constexpr DecodePolicy kPolicy{.channels = 3, .resolution = 64};
constexpr std::int64_t kImageBytes = 3 * 64 * 64;
constexpr std::int64_t kRecords = 10'000;

struct Options {
  int threads = 2;
  int thread_limit = 40;
  int batch = 16;
  int memory_mib = 4;
  double latency_ms = 4.5;
  double jitter_ms = 1;
  double factor = 20;
  double share = 0.3;
  double period_seconds = 20;
  int periods = 3;
  double step_ms = 50;
  std::string path;
  double start = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Compares a loader with fixed threads and one that is aware of congestion, behind a storage "
      "whose reads take --factor times as long in the last --share of each period. A step of the "
      "training sleeps. Ends with 1 if a claim of benchmarks/README.md does not hold. With --path, "
      "something else makes a dataset's storage as slow: see from_s3.py.");
  app.add_option("--threads", options.threads, "reader threads of calm storage");
  app.add_option("--thread-limit", options.thread_limit, "of the aware loader");
  app.add_option("--batch", options.batch, "images a batch");
  app.add_option("--memory", options.memory_mib, "memory limit of the loader, MiB");
  app.add_option("--latency", options.latency_ms, "of a read, ms");
  app.add_option("--jitter", options.jitter_ms, "up to so much more, ms");
  app.add_option("--factor", options.factor, "of latency and jitter in a congestion");
  app.add_option("--share", options.share, "of the time that is congested");
  app.add_option("--period", options.period_seconds, "from one congestion's end to the next's");
  app.add_option("--periods", options.periods, "to measure");
  app.add_option("--step", options.step_ms, "duration of a step, ms; 0: training only waits");
  app.add_option("--path", options.path, "dataset of 64 x 64 color images; default: in memory");
  app.add_option("--start", options.start,
                 "with --path: of the uncongested loader, seconds since 1970");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

/// Images in memory: no file is read, so that storage is what the throttle makes of it.
class MemorySource : public Source {
 public:
  std::int64_t record_count() const override { return kRecords; }
  std::int64_t label_count() const override { return 0; }
  std::int64_t label(std::int64_t /*index*/) const override { return -1; }
  std::string describe(std::int64_t index) const override {
    return "record " + std::to_string(index);
  }
  void read(std::int64_t /*index*/, Record& record) const override {
    record.bytes = pixels_;
    record.channels = kPolicy.channels;
    record.height = kPolicy.resolution.height;
    record.width = kPolicy.resolution.width;
  }

 private:
  std::vector<std::uint8_t> pixels_ = std::vector<std::uint8_t>(kImageBytes);
};

/// The storage of a loader, and its clock, which starts with the first period.
class Storage {
 public:
  /// run: which of the loaders it is for; their periods follow each other.
  Storage(const Options& options, const Throttle& throttle, int run) {
    if (options.path.empty()) {
      source_ = std::make_unique<ThrottledSource>(images_, throttle, clock(), pause);
    } else {
      source_ = open_source(options.path, kPolicy.resolution.height);
      start_ = Clock::time_point(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
              options.start + run * options.periods * options.period_seconds)));
      std::this_thread::sleep_until(start_);
    }
  }

  const Source& source() const { return *source_; }
  std::function<double()> clock() const {
    return [start = start_] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  }
  static void pause(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

 private:
  using Clock = std::chrono::system_clock;

  Clock::time_point start_ = Clock::now();
  MemorySource images_;
  std::unique_ptr<Source> source_;
};

/// What a loader delivered.
struct Outcome {
  double rate = 0;            ///< images/s, whole run
  double congested_rate = 0;  ///< images/s, in the congested parts
  int most_threads = 0;
  std::int64_t most_bytes = 0;
  int most_batches_to_baseline = 0;  ///< after a congestion, until the threads are back
  int rises = 0;                     ///< of threads that had fallen or were at the baseline
};

/// Follows the threads of a loader from batch to batch.
class ThreadWatch {
 public:
  /// held_bytes: of the batch that the training holds.
  ThreadWatch(int baseline, std::int64_t held_bytes)
      : baseline_(baseline), threads_(baseline), held_bytes_(held_bytes) {}

  void see(const LoaderReadings& readings, bool congested, Outcome& outcome) {
    const int now = readings.reader_threads;
    if (now > threads_ && !rising_) ++outcome.rises;
    if (now != threads_) rising_ = now > threads_;
    threads_ = now;
    batches_ = !congested && now > baseline_ ? batches_ + 1 : 0;
    outcome.most_batches_to_baseline = std::max(outcome.most_batches_to_baseline, batches_);
    outcome.most_threads = std::max(outcome.most_threads, now);
    // The added threads hold a record each.
    outcome.most_bytes = std::max(
        outcome.most_bytes, readings.batches_bytes + held_bytes_ + (now - baseline_) * kImageBytes);
  }

 private:
  int baseline_;
  int threads_;
  bool rising_ = false;
  int batches_ = 0;
  std::int64_t held_bytes_;
};

Outcome measure(const Options& options, int run, double share, bool aware) {
  const Throttle throttle{.latency = options.latency_ms / 1000,
                          .jitter = options.jitter_ms / 1000,
                          .period = options.period_seconds,
                          .congested_share = share,
                          .congested_factor = options.factor};
  const Storage storage(options, throttle, run);
  const auto clock = storage.clock();
  LoaderOptions loader;
  loader.share.batch_per_rank = options.batch;
  loader.prefetch = {.reader_threads = options.threads,
                     .thread_limit = options.thread_limit,
                     .memory_limit_bytes = std::int64_t{options.memory_mib} << 20,
                     .congestion_aware = aware};
  const ShardPlan plan(storage.source().record_count(), /*seed=*/1, /*shuffle=*/true);
  Prefetcher prefetcher(storage.source(), plan, kPolicy, loader);
  ThreadWatch watch(options.threads, options.batch * kImageBytes);
  Outcome outcome;
  const double end = options.period_seconds * options.periods;
  for (double now = 0; now < end;) {
    prefetcher.next();
    now = clock();
    const bool congested = is_congested(throttle, now);
    outcome.rate += options.batch / end;
    if (congested) outcome.congested_rate += options.batch / (end * share);
    watch.see(prefetcher.readings(), congested, outcome);
    if (options.step_ms > 0) Storage::pause(options.step_ms / 1000);
  }
  return outcome;
}

void print(const char* loader, const Outcome& outcome, double uncongested) {
  std::printf("| %-16s | %5.0f | %3.0f%% | %5.0f | %3.0f%% | %7d | %6.1f | %7d | %5d |\n", loader,
              outcome.rate, 100 * outcome.rate / uncongested, outcome.congested_rate,
              100 * outcome.congested_rate / uncongested, outcome.most_threads,
              static_cast<double>(outcome.most_bytes) / (1 << 20), outcome.most_batches_to_baseline,
              outcome.rises);
  std::fflush(stdout);
}

/// Prints a claim and returns whether it holds.
bool claim(const char* what, bool holds) {
  std::printf("%s: %s\n", what, holds ? "yes" : "NO");
  return holds;
}

int compare(const Options& options) {
  constexpr int kBatchesPerWindow = 4;
  std::printf(
      "| loader           | all/s |      | cong. |      | threads | MiB    | batches | rises |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  const Outcome calm = measure(options, 0, 0, false);
  print("uncongested", calm, calm.rate);
  const Outcome fixed = measure(options, 1, options.share, false);
  print("fixed", fixed, calm.rate);
  const Outcome aware = measure(options, 2, options.share, true);
  print("congestion-aware", aware, calm.rate);
  bool holds = claim("fixed, congested: below 40%", fixed.congested_rate < 0.4 * calm.rate);
  holds &= claim("aware, congested: at least 80%", aware.congested_rate >= 0.8 * calm.rate);
  holds &= claim("aware, whole run: at least 90%", aware.rate >= 0.9 * calm.rate);
  holds &=
      claim("memory within the limit", aware.most_bytes <= std::int64_t{options.memory_mib} << 20);
  holds &= claim("threads back within ten windows",
                 aware.most_batches_to_baseline <= 10 * kBatchesPerWindow);
  holds &= claim("threads rise once in a congestion", aware.rises == options.periods);
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace ganscale::data

int main(int argc, char** argv) {
  try {
    return ganscale::data::compare(ganscale::data::parse(argc, argv));
  } catch (const ganscale::Error& error) {
    std::fprintf(stderr, "bench_congestion: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
