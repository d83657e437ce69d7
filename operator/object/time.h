#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ganscale::controller {

/// A Kubernetes timestamp: whole seconds, UTC.
using Time = std::chrono::sys_seconds;

/// Writes 2026-11-21T07:00:00Z.
std::string format_time(Time time);
/// Writes 2026-11-21T07:00:00.000042Z, as Leases and Events require.
std::string format_micro_time(std::chrono::system_clock::time_point time);
/// Parses the output of format_time, also with fractional seconds; nullopt if it is not a time.
std::optional<Time> parse_time(const std::string& text);

}  // namespace ganscale::controller
