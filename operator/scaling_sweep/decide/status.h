#pragma once

#include <string>

#include "object/time.h"
#include "scaling_sweep/decide/points.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// What a status says in addition to the record.
struct Facts {
  std::int64_t generation = 0;
  std::string problem_reason;
  std::string problem;
  Plan plan;  ///< if there is no problem
  Time now;
};

/// Writes into a status what the results say: `points`, `fit`, `done`, and the figures of the
/// fastest point.
void write_figures(const Plan& plan, const Record& record, const Summary& summary, Json& status);

/// Returns the whole status: `old` with the record, the figures and the conditions applied to it.
/// Fields that it does not know stay; the time of a condition changes only with its status.
Json next_status(const Json& old, const Record& record, const Facts& facts);

}  // namespace ganscale::controller::scaling_sweep
