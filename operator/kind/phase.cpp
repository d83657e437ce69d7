#include "kind/phase.h"

namespace ganscale::controller {

Condition phase_condition(Phase of, Phase phase, const std::string& reason,
                          const std::string& message) {
  if (phase == of) return {kPhases.of(of), true, reason, message};
  return {kPhases.of(of), false, std::string("Is") + kPhases.of(phase), ""};
}

std::optional<Time> over_since(const Json& status) {
  for (const Phase end : {Phase::kSucceeded, Phase::kFailed}) {
    const Json condition = find_condition(status, kPhases.of(end));
    if (text_at(condition, "/status") == "True") {
      return parse_time(text_at(condition, "/lastTransitionTime"));
    }
  }
  return std::nullopt;
}

Phase read_phase(const Json& status) {
  return kPhases.value(text_at(status, "/phase")).value_or(Phase::kPending);
}

}  // namespace ganscale::controller
