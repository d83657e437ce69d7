#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/gan_training.h"
#include "decide/observe.h"
#include "decide/record.h"

namespace ganscale::controller {

/// Everything that the next move of a training depends on.
struct Situation {
  Record record;
  bool deleted = false;        ///< the GanTraining is marked for deletion
  bool has_finalizer = true;   ///< a deleted one has ours still
  std::string problem_reason;  ///< one word; empty: the spec is good
  std::string problem;         ///< what is wrong with the spec, with the key
  bool suspend = false;
  RestartPolicy restart;
  std::chrono::seconds checkpoint_deadline{120};
  std::string hash;         ///< of the plan
  std::string config_hash;  ///< of the plan's configuration
  int nodes = 1;
  std::optional<Attempt> attempt;  ///< the one with the record's number
  bool others = false;             ///< there is something of another attempt, MPIJob or pods
  bool purge = false;              ///< the run folder is to be deleted and still there
  std::string purge_failure;       ///< why it can't be deleted, for people; empty: it can
  Time now;
};

/// One thing to do, after the record was stored.
enum class Step {
  kStartAttempt,    ///< make the MPIJob of the record's number
  kAskStop,         ///< tell rank 0: checkpoint and end
  kDeleteAttempts,  ///< every MPIJob but the live one
  kPurge,           ///< make the Job that deletes the run folder
  kRemoveFinalizer,
};

/// Something to tell the user, once.
struct Note {
  bool warning = false;
  std::string reason;
  std::string text;
  bool operator==(const Note&) const = default;
};

struct Decision {
  Record record;
  std::vector<Step> steps;
  std::vector<Note> notes;
  std::optional<std::chrono::seconds> again_in;  ///< look again, even if nothing changes
};

/// Decides the next move: a pure function of what is seen, so it may be asked again at any moment,
/// by any operator, and gives the same answer.
///
/// One attempt lives at a time: the next is started only when nothing of the others is left.
Decision decide(const Situation& situation);

}  // namespace ganscale::controller
