#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "object/event.h"
#include "object/time.h"
#include "scaling_sweep/decide/child.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// Everything that the next decision about a sweep depends on.
struct Situation {
  Record record;
  bool deleted = false;        ///< the ScalingSweep is marked for deletion
  std::string problem_reason;  ///< one word; empty: the spec is good
  std::string problem;         ///< what is wrong with the spec, with the key
  Plan plan;                   ///< if there is no problem
  std::vector<Child> children;
  std::optional<Time> over_since;  ///< when it succeeded or failed
  Time now;
};

struct Decision {
  Record record;
  std::optional<std::size_t> start;  ///< the run whose GanTraining is to be made
  std::vector<std::string> remove;   ///< names of GanTrainings to delete
  bool expired = false;              ///< the ScalingSweep itself is to be deleted
  std::vector<Event> events;
  std::optional<std::chrono::seconds> requeue_after;  ///< even if nothing changes
};

/// Decides what to do next. A pure function of the observed situation: any operator may call it at
/// any time and gets the same answer.
///
/// One GanTraining exists at a time: the next is made only after the others are gone. A run with a
/// result is not run again; a result of another spec than the current one is dropped.
Decision decide(const Situation& situation);

/// Returns how many runs of the plan have a result.
int done_count(const Plan& plan, const Record& record);

}  // namespace ganscale::controller::scaling_sweep
