#pragma once

#include <chrono>
#include <optional>

#include "augment/augmentation.h"
#include "checkpoint/writer.h"
#include "comm/group.h"
#include "control/server.h"
#include "data/loader/prefetcher.h"
#include "report/progress.h"
#include "report/stats_log.h"
#include "report/tensorboard.h"
#include "report/tick.h"
#include "telemetry/instruments.h"
#include "training/evaluation/metrics_log.h"
#include "training/loop/scheme.h"
#include "training/phases/statistics.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// What a reporter reads its numbers from, and where it tells them.
struct ReporterParts {
  const RunConfig& config;
  RunFolder folder;
  at::Device device;
  comm::Group& control;
  comm::Group& gradients;  ///< the group that averages gradients
  const data::Prefetcher& batches;
  const augment::Augmentation& augmentation;
  telemetry::Instruments& instruments;
  const checkpoint::Writer* writer = nullptr;  ///< rank 0 only
  control::Server* server = nullptr;           ///< rank 0 only, where there is a control port
};

/// Tells people, Prometheus and the operator how the run goes. Every rank has one and calls it in
/// the same steps; rank 0 writes.
class Reporter {
 public:
  explicit Reporter(ReporterParts parts);

  /// Starts the clock; lines of stats.jsonl beyond the progress, which a killed run left, are
  /// dropped. Counters by phase begin at 0 here, so that a rate sees the first thing they count.
  void begin(const Progress& progress, const std::vector<std::string>& phases);
  /// Takes in a step.
  void step(const StepResult& result, const Progress& progress);
  /// Says what the steps since the last tick did; all ranks together.
  void tick(Progress& progress);
  /// Shows a grid of fakes where TensorBoard is on. images: [N, C, H, W] in [-1, 1].
  void fakes(const at::Tensor& images, const Progress& progress);
  /// Tells what was measured of the generator; all ranks together.
  void metrics(const MetricsLine& line);
  /// Whether the generator was measured at this progress or beyond; all ranks together.
  bool is_measured(const Progress& progress) const;
  /// Counts time that was not training: grids, checkpoints, the tick itself.
  void add_maintenance(double seconds) { maintenance_seconds_ += seconds; }
  /// Publishes where the run is in its life.
  void state(wire::JobState state, const std::string& message = "");
  /// Publishes that the run is over, its last checkpoint written.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  report::Tick make_tick(const Progress& progress, double seconds);
  void write_tick(const report::Tick& tick);
  void publish(const report::Tick& tick);
  void open_tensorboard(std::int64_t images_seen);
  void read_counters();
  double seconds_left(const report::Tick& tick) const;

  ReporterParts parts_;
  Statistics statistics_;
  std::optional<report::StatsLog> stats_;
  std::optional<report::StatsLog> metrics_;
  std::optional<report::ProgressBar> bar_;
  std::optional<report::Tensorboard> tensorboard_;
  wire::JobStatus status_;
  Clock::time_point tick_start_;
  Clock::time_point step_ended_;
  double maintenance_seconds_ = 0;
  std::int64_t tick_images_ = 0;
  double tick_wait_seconds_ = 0;
  comm::AllReduceCost tick_cost_;
  double counted_wait_seconds_ = 0;
  std::int64_t counted_failures_ = 0;
  comm::AllReduceCost counted_cost_;
};

}  // namespace ganscale::training
