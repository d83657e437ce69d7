#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scaling_sweep/spec/scaling_sweep.h"
#include "scaling_sweep/spec/sweep_spec.h"

namespace ganscale::controller::scaling_sweep {

/// A point with what follows from the template.
struct PlannedPoint {
  Point point;
  int ranks = 1;
  int gpus = 0;
  std::int64_t global_batch = 0;  ///< of a step; 0: mode PerLabel, whose ranks share no steps
  Json training;                  ///< the spec of its GanTrainings
  std::string hash;               ///< of `training`: a result of another spec does not count
};

/// One run: a GanTraining to its end.
struct SweepRun {
  std::string name;  ///< of the GanTraining: weak-n2-r1, or weak-n1g4-r1 for 4 GPUs of a node
  std::size_t point = 0;
  int repeat = 1;
};

/// Everything that a sweep is to do.
struct Plan {
  Key key;
  std::string uid;
  SweepSpec spec;
  Json stored_spec;                  ///< what `spec` was parsed from
  std::vector<PlannedPoint> points;  ///< in ascending order of ranks
  std::size_t baseline = 0;          ///< the point that speedups are relative to
  std::vector<SweepRun> runs;        ///< in the order in which they start
};

inline constexpr const char* kSweepLabel = "ganscale.dev/sweep";
inline constexpr const char* kRunHashAnnotation = "ganscale.dev/run-hash";

/// Returns n2, or n1g4 for 4 GPUs of a node.
std::string point_name(const Point& point);
/// Names of the objects of a sweep.
std::string run_name(const Key& key, const Point& point, int repeat);
std::string report_name(const Key& key);

/// Returns the spec of a point's GanTrainings: the template with the point's size, its batch or
/// labels, and the windows.
Json training_spec(const SweepSpec& spec, const Point& point, int ranks);

/// Returns metadata of an object of the sweep, with the sweep as owner.
Json metadata_of(const Plan& plan, const std::string& name);

}  // namespace ganscale::controller::scaling_sweep
