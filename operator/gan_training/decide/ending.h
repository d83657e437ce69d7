#pragma once

#include <chrono>
#include <string>

#include "gan_training/decide/life.h"

/// How an attempt ends before its time: with a checkpoint, if there is something to save.
namespace ganscale::controller::gan_training {

/// How soon to look again for what may come without any message.
inline constexpr std::chrono::seconds kPollEvery{2};
/// The reason to end an attempt whose node goes.
inline constexpr const char* kDisruption = "Disruption";

bool has_live_attempt(const Situation& situation);

/// Ends the attempt: its MPIJob goes, with every pod of it.
void end_attempt(Decision& decision);

/// Ends an attempt that was to stop. The restart counts only now: the MPIJob of a live attempt has
/// the number of restarts before it.
void end_stopped(Decision& decision);

/// Brings the live attempt to its end, if there is one: asks rank 0 for a checkpoint and waits for
/// it, at most until the deadline. Returns whether the attempt is still there.
bool bring_to_end(const Situation& situation, Decision& decision, const std::string& reason,
                  const std::string& why);

}  // namespace ganscale::controller::gan_training
