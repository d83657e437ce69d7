#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/section.h"
#include "planning/model/assumptions.h"
#include "planning/simulation/noise.h"
#include "planning/simulation/reliability.h"

namespace ganscale::planning {

/// What goes wrong in a simulated run, in addition to the model's assumptions.
struct Conditions {
  /// Grattafiori et al. 2024, arXiv:2407.21783, Table 5: 419 failures of 16,384 GPUs in 54 days.
  double rank_hours_between_failures = 50'000;
  double detect_seconds = 60;           ///< from a failure to the launch of the next attempt
  double checkpoint_pause_seconds = 1;  ///< training waits for a copy in the memory of the host
  double checkpoint_write_seconds = 20;
  double pauses_per_hour = 0.02;  ///< of a rank
  double pause_seconds = 1;
};

/// Reads what differs from the defaults. Throws ConfigError with file, line and key.
Conditions parse_conditions(config::Section in, Conditions c = {});

/// Returns the conditions as YAML that parse_conditions() reads, each with what it is.
std::string to_yaml(const Conditions& conditions);

/// Returns the same values by their keys.
nlohmann::ordered_json to_json(const Conditions& conditions);

Noise noise_of(const Assumptions& assumptions, const Conditions& conditions);

/// Returns how reliable a run on that many GPUs is. All its ranks end with one of them.
Reliability reliability_of(const Assumptions& assumptions, const Conditions& conditions, int gpus,
                           int nodes);

}  // namespace ganscale::planning
