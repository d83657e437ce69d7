#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gan_training/decide/observe.h"
#include "gan_training/decide/record.h"
#include "gan_training/spec/training_spec.h"
#include "object/event.h"

namespace ganscale::controller::gan_training {

/// Everything that the next decision about a training depends on.
struct Situation {
  Record record;
  bool deleted = false;        ///< the GanTraining is marked for deletion
  bool orphaned = false;       ///< what it owns stays, as with `kubectl delete --cascade=orphan`
  bool has_finalizer = true;   ///< the operator's own
  std::string problem_reason;  ///< one word; empty: the spec is good
  std::string problem;         ///< what is wrong with the spec, with the key
  bool has_spec = true;        ///< it could be parsed
  // Those of the spec hold even if it has a problem; they are defaults if it can't be parsed.
  bool suspend = false;
  RestartPolicy restart;
  std::chrono::seconds checkpoint_deadline{120};
  std::optional<std::chrono::seconds> scheduling_deadline;  ///< for all workers to run
  std::optional<std::chrono::seconds> progress_deadline;    ///< for another image
  std::optional<std::int64_t> images_seen;                  ///< by the live attempt, as rank 0 said
  bool paused = false;                                      ///< by a command to rank 0
  std::optional<std::chrono::seconds> ttl;                  ///< after its end, when it is deleted
  std::optional<Time> over_since;                           ///< when it succeeded or failed
  std::string checkpoint;  ///< that the next attempt finds; empty: none
  // Of the plan, if there is one.
  std::string request;      ///< changes with what the user asks for
  std::string hash;         ///< of all of it
  std::string config_hash;  ///< of its configuration
  std::string storage;      ///< claim and subPath; empty: none
  int nodes = 1;
  std::optional<Attempt> attempt;  ///< the one with the record's number
  bool others = false;             ///< another attempt still has an MPIJob or pods
  std::string stuck;               ///< which pod of another attempt does not end, for people
  std::string older_purge;         ///< which Job may still delete the run folder, for people
  bool purge = false;              ///< the run folder must still be deleted
  bool purge_started = false;      ///< the Job that deletes it exists
  bool purge_needs_queue = false;  ///< that Job is held back since it has no queue
  std::string purge_failure;       ///< why it can't be deleted, for people; empty: it can
  std::string purge_skipped;       ///< why it is not deleted, though that is asked for
  Time now;
};

/// An action to take after storing the record.
enum class Step {
  kStartAttempt,    ///< make the MPIJob of the record's number
  kAskStop,         ///< ask rank 0 to write a checkpoint and stop
  kDeleteAttempts,  ///< every MPIJob but the live one
  kDeleteTraining,  ///< delete the GanTraining itself
  kPurge,           ///< make the Job that deletes the run folder
  kQueuePurge,      ///< put that Job into the queue of the training
  kRemoveFinalizer,
};

struct Decision {
  Record record;
  std::vector<Step> steps;
  std::vector<Event> events;
  std::optional<std::chrono::seconds> requeue_after;  ///< even if nothing changes
};

inline void add_event(Decision& decision, bool warning, std::string reason, std::string note) {
  decision.events.push_back({warning, std::move(reason), std::move(note)});
}

/// Decides what to do next. A pure function of the observed situation: any operator may call it at
/// any time and gets the same answer.
///
/// At most one attempt exists at a time: the next starts only after the others are gone.
Decision decide(const Situation& situation);

}  // namespace ganscale::controller::gan_training
