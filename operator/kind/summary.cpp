#include "kind/summary.h"

namespace ganscale::controller {
namespace {

bool is_as_asked(Phase phase) {
  return phase == Phase::kRunning || phase == Phase::kSucceeded || phase == Phase::kSuspended;
}

}  // namespace

std::vector<Condition> summary_conditions(Phase phase, const std::string& reason,
                                          const std::string& message, const Refusal& refusal,
                                          bool is_ending) {
  const bool is_refused = !refusal.problem.empty();
  const bool is_ready = !is_refused && !is_ending && is_as_asked(phase);
  const std::string& why = is_refused ? refusal.reason : reason;
  const std::string& words = is_refused ? refusal.problem : message;
  const bool is_stalled = is_refused ? !may_pass(refusal) : phase == Phase::kFailed;
  return {{"Ready", is_ready, why.empty() ? std::string(name_in(kPhases, phase)) : why, words},
          phase_condition(Phase::kSuspended, phase, reason, message),
          {"Stalled", is_stalled, is_stalled ? why : "Proceeds", is_stalled ? words : ""}};
}

}  // namespace ganscale::controller
