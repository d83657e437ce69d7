#pragma once

#include <optional>
#include <span>

#include "planning/model/scheme_simulation.h"

namespace ganscale::planning {

/// Which scheme is the faster one to train a model. Quality has no part in it.
struct SchemeAdvice {
  SchemeRun synchronous = {};
  /// Of those that come within 1% of the fastest, the one with the least staleness, and the fastest
  /// of these; nothing if no ratio fits.
  std::optional<SchemeRun> asynchronous = {};

  /// Returns by which share asynchronous has more images a second than synchronous; 0 if no ratio
  /// fits.
  double asynchronous_gain() const;
  /// Returns the faster one; synchronous unless the other gains more than 1%.
  const SchemeRun& advised() const;
};

/// Returns nothing if the runs have no synchronous one.
std::optional<SchemeAdvice> advise_scheme(std::span<const SchemeRun> runs);

}  // namespace ganscale::planning
