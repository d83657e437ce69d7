#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::scaling_sweep {

/// What stays the same while the ranks grow.
enum class Mode {
  kStrong,    ///< the batch
  kWeak,      ///< the batch of a rank
  kPerLabel,  ///< the labels of a rank, one: as many labels are trained as there are ranks
};

/// Returns Strong, Weak or PerLabel.
std::string_view name(Mode mode);

/// A size to measure: nodes, and GPUs of each node if not all.
struct Point {
  int nodes = 1;
  int gpus_per_node = 0;  ///< 0: as the template's profile
  auto operator<=>(const Point&) const = default;
};

/// The parsed `spec` of a ScalingSweep.
struct SweepSpec {
  Mode mode = Mode::kStrong;
  std::vector<Point> points;
  int repeats = 3;
  std::int64_t seed = 1;  ///< of the order of the runs
  int warmup_steps = 0;
  int measure_steps = 0;          ///< 0 for kPerLabel: the whole training is measured
  int batch_per_rank = 0;         ///< kWeak only
  std::optional<Point> baseline;  ///< of speedups; default: the fewest ranks
  bool stop_on_failure = false;
  bool suspend = false;
  int run_deadline_seconds = 3600;  ///< for one run, from its start to its end
  std::optional<int> ttl_seconds;   ///< after its end, when the sweep is deleted
  Json training = Json::object();   ///< `spec.template`: the spec of a GanTraining
};

/// Parses `spec`. Ignores unknown fields, which belong to newer versions. Throws ConfigError with
/// the field's path.
SweepSpec parse_sweep_spec(const Json& spec);

}  // namespace ganscale::controller::scaling_sweep
