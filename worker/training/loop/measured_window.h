#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/group/group.h"
#include "training/loop/trainer.h"
#include "training/run/run_config.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// Waits until a GPU has done what it was given.
void finish_work(at::Device device);

/// How much of its device a rank uses, in shares of 1.
struct DeviceShares {
  double memory = 0;                ///< the most that tensors took; 0 for a CPU
  std::optional<double> time = {};  ///< in which the device computed; absent if unknown
};

/// What the steps of a window took on one rank, in seconds.
struct WindowParts {
  double seconds = 0;  ///< all of them
  double data_wait_seconds = 0;
  double all_reduce_seconds = 0;                     ///< waited for gradients of other ranks
  double role_wait_seconds = 0;                      ///< waited for ranks of the other role
  std::map<std::string, double> phase_seconds = {};  ///< of the host, by phase
};

/// Measures a window of steps on one rank, after steps of warm-up. What is not training (grids,
/// checkpoints) does not count.
class MeasuredWindow {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MeasuredWindow(const MeasureConfig& config) : config_(config) {}

  bool is_wanted() const { return config_.steps > 0; }
  /// Whether the next step ends the warm-up or the window: the device must have done its work
  /// before the clock is read.
  bool reads_clock_next() const;
  bool is_over() const { return is_wanted() && count_ - config_.warmup_steps >= config_.steps; }

  void begin(Clock::time_point now, const Readings& readings);
  /// Adds a step that ended now.
  void step(Clock::time_point now, const StepResult& result, const Readings& readings);
  void add_maintenance(double seconds);

  /// Returns what this rank measured so far.
  WindowParts parts() const;

  /// Returns how much of a device the window took; to be called at its end.
  DeviceShares shares_of(at::Device device) const;

  /// Returns what all ranks measured together; nothing if the window of one is not over. All ranks
  /// call it. shares: of this rank's device.
  std::optional<wire::Measurement> gather(comm::Group& group, const DeviceShares& shares) const;

 private:
  bool is_inside() const { return count_ >= config_.warmup_steps && !is_over(); }
  void start(const Readings& readings);

  const MeasureConfig config_;
  std::int64_t count_ = 0;  // steps, including the warm-up
  std::int64_t images_ = 0;
  double seconds_ = 0;
  double role_wait_seconds_ = 0;
  std::map<std::string, double> phase_seconds_;
  double maintenance_seconds_ = 0;  // since the last step ended
  std::vector<double> step_seconds_;
  Clock::time_point step_ended_;
  Readings readings_at_start_;
  Readings readings_;
};

}  // namespace ganscale::training
