#pragma once

namespace ganscale::planning {

/// How often a run fails, and what failures and checkpoints cost it.
struct Reliability {
  double seconds_between_failures = 0;  ///< of the whole run, on average
  double restart_seconds = 0;           ///< from a failure to the first step of the next attempt
  double start_seconds = 0;             ///< of the first attempt
  double pause_seconds = 0;             ///< that training stops for a checkpoint
  double write_seconds = 0;             ///< after that, while training goes on, until it is valid
};

/// Returns the seconds of training between checkpoints that cost least: C for a pause, M between
/// failures.
///
/// Paper: Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps",
///        doi:10.1016/j.future.2004.11.016, Eq. (37). Its first term, sqrt(2 C M), is Young's
///        (1974, doi:10.1145/361147.361115).
double best_interval(const Reliability& reliability);

}  // namespace ganscale::planning
