#pragma once

#include <chrono>
#include <limits>
#include <optional>

#include "checkpoint/writer.h"
#include "report/log/progress.h"
#include "report/log/stats_log.h"
#include "report/log/tick.h"
#include "report/mlflow/mlflow_run.h"
#include "report/tensorboard/tensorboard.h"
#include "training/evaluation/metrics_log.h"
#include "training/loop/measured_window.h"
#include "training/loop/role_tally.h"
#include "training/loop/step_profile.h"
#include "training/loop/trainer.h"
#include "training/loop/training_context.h"
#include "training/phases/statistics.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// Reports the progress of a run to the log, Prometheus and the operator. All ranks call it in the
/// same steps; rank 0 writes.
class Reporter {
 public:
  /// Agrees with the other ranks on the names of statistics. All is borrowed; writer: rank 0 only.
  Reporter(const TrainingContext& context, const Trainer& trainer,
           const checkpoint::Writer* writer);

  /// Starts the clock and drops lines of stats.jsonl and metrics.jsonl after the progress, which a
  /// killed run left. Initializes the counters of all phases to 0, so that rates include their first
  /// increment.
  void begin(const Progress& progress);
  /// Adds a step.
  void step(const StepResult& result, const Progress& progress);
  /// Reports the steps since the last tick. All ranks call it.
  /// budget_seconds_left: the run ends then, if not before.
  void tick(Progress& progress,
            double budget_seconds_left = std::numeric_limits<double>::infinity());
  /// Writes a grid of fakes to TensorBoard, if that is on. images: [N, C, H, W] in [-1, 1].
  void fakes(const at::Tensor& images, const Progress& progress);
  /// Returns how long the run has been trained by now, over all restarts.
  double trained_seconds(const Progress& progress) const;
  /// Reports an evaluation. All ranks call it.
  void metrics(const MetricsLine& line);
  /// Returns whether all configured metrics were measured at this progress. All ranks call it.
  bool is_measured(const Progress& progress) const;
  /// Adds time that is not training: grids, checkpoints, pauses. It ends now and is no step's.
  void add_maintenance(double seconds) {
    maintenance_seconds_ += seconds;
    window_.add_maintenance(seconds);
    const std::chrono::duration<double> time(seconds);
    step_ended_ += std::chrono::duration_cast<Clock::duration>(time);
  }
  /// Whether the window of steps that was to be measured is over.
  bool has_measured() const { return window_.is_over(); }
  /// Reports what was measured in the window, if one was wanted. All ranks call it.
  void measurement();
  /// Publishes the state of the run.
  void state(wire::JobState state, const std::string& message = "");
  /// Publishes that the run is done and its last checkpoint written. stopped: by a signal, to be
  /// resumed.
  void end(bool stopped);
  /// Publishes that the run failed, then logs the error, which is being handled, and then tells
  /// MLflow, if the run is logged there: a server that is down takes a while.
  void fail(const std::string& why);

 private:
  using Clock = std::chrono::steady_clock;

  report::Tick make_tick(const Progress& progress, double seconds);
  std::map<std::string, std::int64_t> take_steps();
  void write_tick(const report::Tick& tick);
  void publish(const report::Tick& tick);
  void open_tensorboard(std::int64_t images_seen);
  void open_mlflow(std::int64_t images_seen);
  void finish_mlflow(report::MlflowStatus status);
  void read_counters();
  double seconds_left(const report::Tick& tick) const;
  std::int64_t evaluations_left(std::int64_t images_seen) const;

  const TrainingContext& context_;
  const Trainer& trainer_;
  const checkpoint::Writer* writer_;
  Statistics statistics_;
  RoleTally roles_;
  std::optional<report::StatsLog> stats_;
  std::optional<report::ProgressBar> bar_;
  std::optional<report::Tensorboard> tensorboard_;
  std::optional<report::MlflowRun> mlflow_;
  wire::JobStatus status_;
  double budget_seconds_left_ = std::numeric_limits<double>::infinity();
  MeasuredWindow window_;
  StepProfile profile_;
  Clock::time_point tick_start_;
  Clock::time_point step_ended_;
  double maintenance_seconds_ = 0;
  double evaluation_seconds_ = 0;  // of the last evaluation
  std::int64_t tick_images_ = 0;
  std::int64_t generator_steps_ = 0;      // since the last tick
  std::int64_t discriminator_steps_ = 0;  // since the last tick
  Readings tick_readings_;                // at the last tick
  Readings counted_;                      // by the instruments
  std::int64_t counted_failures_ = 0;
};

}  // namespace ganscale::training
