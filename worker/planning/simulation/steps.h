#pragma once

#include <cstdint>
#include <span>

#include "planning/simulation/noise.h"

namespace ganscale::planning {

/// Ranks that do a step together: each its part, then what they do as one.
struct Team {
  int ranks = 1;
  double rank_seconds = 0;    ///< of a step, that a mean rank computes
  double shared_seconds = 0;  ///< of a step, once all its ranks have: all-reduces, data
  /// The team on which it depends; none: -1. It begins its step k (from 0) when that one has done
  /// k - lead steps or more; at each multiple of meets_every, k.
  int other = -1;
  int lead = 0;
  int meets_every = 0;  ///< 0: never
};

/// What a number of steps took.
struct StepsTaken {
  double seconds = 0;       ///< until the last team was done
  double mean_seconds = 0;  ///< until a team was, on average
  double busy_share = 0;    ///< of the time of all ranks, that they computed
};

/// Simulates `steps` steps of each team, an event for each step of a rank. The dependencies of
/// teams must not deadlock.
StepsTaken simulate_steps(std::span<const Team> teams, const Noise& noise, int steps,
                          std::uint64_t seed);

/// Returns the team that trains the generator and that which trains the discriminator with bounded
/// staleness (docs/paragan.md): G begins step k once D has done k - max_staleness steps, D once G
/// has done step k; both agree every 16 steps.
struct Roles {
  Team generator;
  Team discriminator;
};
Roles with_staleness(Roles roles, int max_staleness);

}  // namespace ganscale::planning
