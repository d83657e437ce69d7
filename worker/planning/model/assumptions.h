#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/section.h"

namespace ganscale::planning {

/// What the model takes for granted. Those of `fitted` can be fitted to measurements.
struct Assumptions {
  double device = 1;                  ///< times the device's time in the workload; fitted
  double launch_seconds = 6e-6;       ///< of the host; fitted
  double synchronize_seconds = 1e-4;  ///< of a phase that reduces, on several ranks; fitted
  double overlap = 0.6;  ///< share of a phase in which gradients are ready to be reduced
  double link_share = 0.8;
  double jitter = 0.01;   ///< standard deviation of a rank's step, relative
  double spread = 0.005;  ///< of the speed of devices, relative: the same in each step
  double reader_bytes_per_second = 1.2e9;  ///< decoded by a rank
  double storage_bytes_per_second = 20e9;  ///< read by all ranks together
  double start_seconds = 60;               ///< from the launch to the first step
  double start_seconds_per_doubling = 5;   ///< more, when the number of nodes doubles

  double start_seconds_on(int nodes) const;
};

/// Reads what differs from `c`. Throws ConfigError with file, line and key.
Assumptions parse_assumptions(config::Section in, Assumptions c = {});

/// Returns the assumptions as YAML that parse_assumptions() reads, each with what it is.
std::string to_yaml(const Assumptions& assumptions);

/// Returns the same values by their keys.
nlohmann::ordered_json to_json(const Assumptions& assumptions);

}  // namespace ganscale::planning
