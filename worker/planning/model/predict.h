#pragma once

#include "planning/model/all_reduce.h"
#include "planning/model/assumptions.h"
#include "planning/model/machine.h"
#include "planning/model/workload.h"

namespace ganscale::planning {

/// Returns the mean of the largest of `count` independent standard normal numbers: by how many
/// standard deviations the slowest of that many ranks lags the mean.
double mean_largest_normal(int count);

/// The seconds of a mean step, by where they are spent.
struct StepTime {
  double device = 0;                       ///< computes
  double host = 0;                         ///< the device waits for launches
  double all_reduce = 0;                   ///< what the computation does not hide
  double stragglers = 0;                   ///< the mean rank waits for the slowest
  double data = 0;                         ///< all wait for images
  Algorithm algorithm = Algorithm::kNone;  ///< of the largest all-reduce

  double total() const { return device + host + all_reduce + stragglers + data; }
};

/// Returns the time of a synchronous step:
///
/// - it takes as long as the device or the launches of the host, whichever takes longer;
/// - the all-reduces of a phase run during the share `overlap` of it; the last one, and what does
///   not fit, do not, nor does `synchronize_seconds`;
/// - all wait for the slowest of n normal times, with the deviation of `jitter` and `spread`;
/// - images are read ahead: they cost what they take longer than all this.
///
/// scale.gpus: fill whole nodes, or a part of one; each is a rank.
StepTime predict_step(const Workload& workload, const Machine& machine,
                      const Assumptions& assumptions, const Scale& scale);

/// Returns the time of a step of a rank that trains by itself, on average over ranks: device, host
/// and data. With two GPUs it takes as long as with one: its networks wait for each other, and the
/// copies between the GPUs are left out.
StepTime predict_lone_step(const Workload& workload, const Assumptions& assumptions,
                           const Scale& scale);

/// Returns the seconds of 1,000 images.
double seconds_per_kimg(const StepTime& step, const Scale& scale);

}  // namespace ganscale::planning
