#pragma once

#include <optional>
#include <string>

#include "report/log/tick.h"

namespace ganscale::report {

/// Returns a tick as a line of the log, in aligned columns of at most 100 characters:
///
///   tick 12   480.0 kimg  1h 04m  7.91 s/kimg  D 1.21  G 0.820 r1 0.0734  D(x) 0.58/0.42  left 2h 10m
///
/// That is: images seen, time of training, rate, losses, and the mean score of reals and fakes as a
/// probability. What then has room follows: waiting and ages of roles, probability of the augmentation,
/// memory in GiB, maintenance. stats.jsonl has everything.
std::string tick_line(const Tick& tick, std::optional<double> seconds_left);

/// Formats a duration in its two largest units: "42s", "12m 05s", "1h 04m", "3d 07h".
std::string format_duration(double seconds);

/// Formats a number with three significant digits, without decimals from 100: "0.0213", "7.91",
/// "480".
std::string format_short(double number);

}  // namespace ganscale::report
