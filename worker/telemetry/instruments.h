#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "telemetry/values.h"

namespace ganscale::telemetry {

inline constexpr std::array kStepSecondsBounds{0.005, 0.01, 0.02, 0.05, 0.1,  0.2, 0.5,
                                               1.0,   2.0,  5.0,  10.0, 30.0, 60.0};
inline constexpr std::array kStalenessBounds{0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};

using StepSeconds = Histogram<kStepSecondsBounds>;
using StalenessSteps = Histogram<kStalenessBounds>;

/// All metrics of one rank. The training writes the members; instrument_table() has their names and
/// descriptions.
///
///   instruments.images_total.add(batch_images);
///   instruments.loss.at("generator").set(loss);
///   instruments.step_seconds.observe(seconds);
struct Instruments {
  Counter images_total;
  Gauge images_seen;
  Gauge images_goal;
  Gauge seconds_per_kimg;
  StepSeconds step_seconds;
  Labeled<Counter> phase_seconds_total;  ///< by phase
  Counter allreduce_seconds_total;
  Counter allreduce_bytes_total;
  Counter data_wait_seconds_total;
  Gauge prefetch_depth;
  Gauge prefetch_bytes;
  Gauge reader_threads;
  Gauge read_median_seconds;
  Gauge read_tail_seconds;
  Gauge read_calm_tail_seconds;
  Gauge storage_congested;
  Counter congestions_total;
  Counter repeated_reads_total;
  Counter cached_reads_total;
  Gauge cached_bytes;
  StalenessSteps staleness_steps;
  Labeled<Counter> role_wait_seconds_total;  ///< by network
  Labeled<Gauge> loss;                       ///< by network
  Labeled<Counter> nonfinite_total;          ///< by phase
  Gauge fid;
  Gauge inception_score;
  Gauge augment_p;
  Gauge checkpoint_seconds;
  Counter checkpoint_failures_total;
  Gauge checkpoint_last_success_timestamp_seconds;
  Gauge gpu_memory_bytes;
  Gauge memlock_too_small;
  Gauge world_size;
};

/// Describes one instrument. The member determines its type.
struct Instrument {
  using Member = std::variant<Counter Instruments::*, Gauge Instruments::*,
                              StepSeconds Instruments::*, StalenessSteps Instruments::*,
                              Labeled<Counter> Instruments::*, Labeled<Gauge> Instruments::*>;
  std::string name;
  std::string label;  ///< the label other than run and rank; empty if there is none
  std::string help;
  Member member;
};

/// Returns all instruments in the order in which they are exposed and documented.
const std::vector<Instrument>& instrument_table();

}  // namespace ganscale::telemetry
