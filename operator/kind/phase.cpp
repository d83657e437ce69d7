#include "kind/phase.h"

namespace ganscale::controller {

Condition phase_condition(Phase of, Phase phase, const std::string& reason,
                          const std::string& message) {
  const std::string_view type = name_in(kPhases, of);
  if (phase == of) return {type, true, reason, message};
  return {type, false, "Is" + std::string(name_in(kPhases, phase)), ""};
}

std::optional<Time> over_since(const Json& status) {
  for (const Phase end : {Phase::kSucceeded, Phase::kFailed}) {
    const Json condition = find_condition(status, name_in(kPhases, end));
    if (text_at(condition, "/status") == "True") {
      return parse_time(text_at(condition, "/lastTransitionTime"));
    }
  }
  return std::nullopt;
}

Phase read_phase(const Json& status) {
  return value_in(kPhases, text_at(status, "/phase")).value_or(Phase::kPending);
}

}  // namespace ganscale::controller
