#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planning/simulation/noise.h"

namespace ganscale::planning {

/// What ranks do together: each its part, then what they do as one.
struct Load {
  double rank_seconds = 0;    ///< that a mean rank computes
  double shared_seconds = 0;  ///< once all ranks have: all-reduces, data
};

/// Ranks that do the same steps together.
struct Team {
  int ranks = 1;
  std::vector<Load> steps = {Load{}};  ///< a cycle: step k (from 0) is steps[k % steps.size()]
  /// A cycle of what steps begin with, which is all that the other team needs of them; empty: it
  /// needs whole steps.
  std::vector<Load> openings = {};
  /// The team on which it depends; none: -1. It begins its step k, after the opening, when that one
  /// has passed on k - lead steps or more; at each multiple of meets_every, it begins the step with
  /// its opening, if it has one, only when that one has passed on k.
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

/// Simulates `steps` steps of each team, an event for each load of a rank. The dependencies of
/// teams must not deadlock.
StepsTaken simulate_steps(std::span<const Team> teams, const Noise& noise, int steps,
                          std::uint64_t seed);

/// Returns the team that trains the generator and that which trains the discriminator with bounded
/// staleness (docs/paragan.md): G begins step k once D has done k - max_staleness steps, D once G
/// has done step k. If G has openings, the fakes of a step that trains D first, it trains once D
/// has done k + 1 - max_staleness steps, and D begins after G's opening. Both agree every 16 steps.
struct Roles {
  Team generator;
  Team discriminator;
};
Roles with_staleness(Roles roles, int max_staleness);

}  // namespace ganscale::planning
