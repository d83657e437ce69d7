#pragma once

#include <string>

#include "gan_training/decide/life.h"

namespace ganscale::controller::gan_training {

/// How many nodes a training avoids at most.
inline constexpr std::size_t kMostAvoided = 16;

/// Whether nodes whose device or fabric failed the attempt are known, and may be avoided.
bool has_nodes_to_avoid(const Situation& situation);

/// Keeps the next attempts off these nodes.
void avoid_failed_nodes(const Situation& situation, Decision& decision, bool for_fabric);

/// Returns what to say of it; empty if there are none.
std::string words_of_avoided(const Situation& situation);

/// Shortens the time of avoided nodes to what the spec says now, after an edit or if the clock was
/// set back. All nodes stay in the record, as the live attempt was made to avoid them.
void shorten_avoidance(const Situation& situation, Decision& decision);

}  // namespace ganscale::controller::gan_training
