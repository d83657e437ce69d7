#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/section.h"

namespace ganscale::planning {

/// Read a number over its default, and refuse one that is not above 0, or is negative. Throw
/// ConfigError with the key.
void read_positive(config::Section& in, std::string_view key, double& value, std::string_view what);
void read_not_negative(config::Section& in, std::string_view key, double& value,
                       std::string_view what);

/// Returns what a parser reads from an empty file: its keys, defaults and documentation.
std::vector<config::Entry> entries_read_by(const std::function<void(config::Section)>& parse);

/// Returns the numbers that a parser has read, by their keys.
nlohmann::ordered_json to_json(const std::vector<config::Entry>& numbers);

/// The assumptions of the model. Those in `fitted` can be fitted to measurements.
struct Assumptions {
  double device = 1;                  ///< times the device's time in the workload; fitted
  double launch_seconds = 6e-6;       ///< of the host, by the device: assumed_of(); fitted
  double synchronize_seconds = 1e-4;  ///< of a phase that reduces, on several ranks; fitted
  double overlap = 0.6;  ///< share of a phase in which gradients are ready to be reduced
  double link_share = 0.8;
  double jitter = 0.01;   ///< standard deviation of a rank's step, relative
  double spread = 0.005;  ///< of the speed of devices, relative: the same in each step
  double reader_bytes_per_second = 1.2e9;  ///< decoded by a rank
  double storage_bytes_per_second = 20e9;  ///< read by all ranks together
  double exchange_bytes_per_second = 5e9;  ///< of scheme asynchronous, through memory of the host
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
