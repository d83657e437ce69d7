#pragma once

#include <string>

#include "object/time.h"
#include "scaling_sweep/decide/points.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// What a status tells besides the record.
struct Facts {
  std::int64_t generation = 0;
  std::string problem_reason;
  std::string problem;
  Plan plan;  ///< if there is no problem
  Time now;
};

/// Returns a point with what its repeats say, as in `.status.points`.
Json point_json(const PlannedPoint& planned, const PointResult& result);
/// Returns the fitted laws, as in `.status.fit`; empty if there is none.
Json fit_json(const Summary& summary);

/// Returns the whole status: `old` with the record, the figures and the conditions laid upon it.
/// Fields that it does not know stay; the time of a condition changes only with its status.
Json next_status(const Json& old, const Record& record, const Facts& facts);

}  // namespace ganscale::controller::scaling_sweep
