#pragma once

#include <string>

#include "gan_training/decide/life.h"

/// Which edits of a spec reach an attempt.
namespace ganscale::controller::gan_training {

/// Whether the user asked for other pods than the attempt has. Its MPIJob knows edits that an older
/// version of the operator did not record.
bool is_outdated(const Situation& situation, const Record& record);

/// Notes what an attempt was made of: not the newest plan, if an edit came while it was made.
void note_first_plan(const Attempt& attempt, Decision& decision);

/// Takes a plan into account that leaves the attempt as it is, so that the next edit is compared
/// with it: its pods may be others than those of the attempt.
void accept_plan(const Situation& situation, Decision& decision);

/// Why the live attempt does not fit the current plan.
struct Edit {
  std::string reason;  ///< a word
  std::string message;
};

Edit edit_of(const Situation& situation);

/// Whether a training that is over starts again: a failed one after any edit, as of restartPolicy,
/// a complete one only after an edit of its pods.
bool starts_again(const Situation& situation);

}  // namespace ganscale::controller::gan_training
