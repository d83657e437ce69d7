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

/// The inputs and outputs of a reporter.
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

/// Reports the progress of a run to the log, Prometheus and the operator. All ranks call it in the
/// same steps; rank 0 writes.
class Reporter {
 public:
  explicit Reporter(ReporterParts parts);

  /// Starts the clock and drops lines of stats.jsonl after the progress, which a killed run left.
  /// Initializes the counters of all phases to 0, so that rates include their first increment.
  void begin(const Progress& progress, const std::vector<std::string>& phases);
  /// Records a step.
  void step(const StepResult& result, const Progress& progress);
  /// Reports the steps since the last tick. All ranks call it.
  void tick(Progress& progress);
  /// Writes a grid of fakes to TensorBoard, if that is on. images: [N, C, H, W] in [-1, 1].
  void fakes(const at::Tensor& images, const Progress& progress);
  /// Reports an evaluation. All ranks call it.
  void metrics(const MetricsLine& line);
  /// Returns whether there was an evaluation at this progress or later. All ranks call it.
  bool is_measured(const Progress& progress) const;
  /// Adds time that is not training: grids, checkpoints, the tick itself.
  void add_maintenance(double seconds) { maintenance_seconds_ += seconds; }
  /// Publishes the state of the run.
  void state(wire::JobState state, const std::string& message = "");
  /// Publishes that the run is done and its last checkpoint written.
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
