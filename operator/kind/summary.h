#pragma once

#include <string>
#include <vector>

#include "kind/phase.h"
#include "kind/refusal.h"

namespace ganscale::controller {

/// Returns the conditions that give the state of a resource to programs that do not know its
/// phases, such as `kubectl wait`, kstatus (sigs.k8s.io/cli-utils) and with it Flux:
///   Ready      it is as its spec asks: it runs, has succeeded, or is suspended
///   Suspended  spec.suspend has taken effect
///   Stalled    it does not proceed until it is edited: it has failed, or its spec is refused
/// reason, message: of the phase. refusal: of the spec; empty if it is good. is_ending: what runs
/// is being stopped, since the spec asks for something else.
std::vector<Condition> summary_conditions(Phase phase, const std::string& reason,
                                          const std::string& message, const Refusal& refusal,
                                          bool is_ending = false);

}  // namespace ganscale::controller
