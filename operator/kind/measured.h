#pragma once

#include <cstdint>
#include <optional>

#include "object/json.h"
#include "wire/job_status.h"

namespace ganscale::controller {

/// What a worker measured, as `.status.measured` of a GanTraining and the runs of a ScalingSweep
/// have it: wire::Measurement with its rate in place of the images.
struct Measured {
  std::int64_t steps = 0;          ///< of the window; 0 if a whole training was measured
  double images_per_second = 0;    ///< of all ranks
  double seconds = 0;              ///< of the slowest rank
  double data_wait_seconds = 0;    ///< mean over the ranks
  double all_reduce_seconds = 0;   ///< waited for gradients of others; mean over the ranks
  double role_wait_seconds = 0;    ///< waited for the other role; mean over the ranks
  double straggler_ratio = 1;      ///< work of the slowest rank over the mean
  double step_seconds_median = 0;  ///< of rank 0
  double step_seconds_p99 = 0;
  std::optional<double> memory_share;  ///< of a device, the highest of all
  std::optional<double> gpu_use;       ///< share of time, mean over the ranks
  bool operator==(const Measured&) const = default;
};

Measured measured_of(const wire::Measurement& measurement);

/// Reads and writes the fields of `.status.measured`, which has no waits and no times of steps if a
/// whole training was measured. Reading gives nothing without a rate.
std::optional<Measured> read_measured(const Json& json);
Json to_json(const Measured& measured);

}  // namespace ganscale::controller
