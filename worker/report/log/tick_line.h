#pragma once

#include <optional>
#include <string>

#include "report/log/tick.h"

namespace ganscale::report {

/// Returns a tick as a line of the log, with memory in GiB:
///
///   tick 12  kimg 480.0  time 1h 04m  s/kimg 7.91  maintenance 3.1s  cpumem 3.2  gpumem 9.8
///   augment 0.120  loss discriminator 1.21 generator 0.82  left 2h 10m      (one line)
std::string tick_line(const Tick& tick, std::optional<double> seconds_left);

/// Formats a duration in its two largest units: "42s", "12m 05s", "1h 04m", "3d 07h".
std::string format_duration(double seconds);

/// Formats a number with three significant digits, without decimals from 100: "0.0213", "7.91",
/// "480".
std::string format_short(double number);

}  // namespace ganscale::report
