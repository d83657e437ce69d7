#pragma once

#include <string>

#include "gan_training/decide/life.h"

namespace ganscale::controller::gan_training {

/// Takes the result of a preflight over into the record, with an event if it is a new one of an
/// attempt that trains.
void note_preflight(const Situation& situation, Decision& decision);

/// After a failed preflight, and once the nodes that it named are avoided: decides whether the next
/// attempt trains even if its preflight fails. It does if no node was named or may be avoided, so
/// that other nodes would not help; and if the training avoids as many nodes as it has itself: then
/// the floor is in doubt. Returns what to say of it; empty if the next preflight must pass.
std::string accept_fabric(const Situation& situation, Decision& decision);

}  // namespace ganscale::controller::gan_training
