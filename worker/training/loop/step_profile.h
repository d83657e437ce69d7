#pragma once

#include <string>

#include "comm/group/group.h"
#include "profile/operator_profiler.h"
#include "training/loop/trainer.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Records the operators of a window of steps on each rank, and writes what their time was spent on:
/// profile.json, with seconds by kind of operator and rank, and trace.json for a trace viewer.
class StepProfile {
 public:
  explicit StepProfile(const ProfileConfig& config) : config_(config) {}

  void begin();
  /// Adds a step that ended.
  void step(const StepResult& result);
  /// Writes the files and logs the shares once the windows of all ranks are over. All ranks call it;
  /// rank 0 writes.
  void write_if_over(comm::Group& group, const RunFolder& folder);

 private:
  bool is_over() const { return count_ - config_.warmup_steps >= config_.steps; }

  const ProfileConfig config_;
  std::int64_t count_ = 0;  // steps, those before the window included
  std::string network_;     // that the rank trains, if only one
  profile::OperatorProfiler profiler_;
  profile::Recording recording_;
  bool is_written_ = false;
};

}  // namespace ganscale::training
