#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kind/phase.h"
#include "object/json.h"
#include "object/time.h"
#include "wire/preflight.h"

namespace ganscale::controller::gan_training {

/// The state of an attempt as recorded, whether or not its MPIJob has been observed.
enum class AttemptState {
  kNone,    ///< there was none yet
  kWanted,  ///< its number is taken; its MPIJob may or may not have been made
  kLive,    ///< its MPIJob was seen
  kEnded,   ///< its MPIJob is gone, or is to go
};

/// Why an attempt is being stopped, and since when.
struct Ending {
  std::string reason;  ///< Resize, ConfigChange, SpecChange, Disruption, Suspend, Delete
  Time since;
  bool operator==(const Ending&) const = default;
};

/// How far an attempt had come when it last made progress.
struct Progress {
  std::int64_t images = 0;
  Time since;
  bool operator==(const Progress&) const = default;
};

/// A node whose device or fabric failed, on which no worker is to run for a while.
struct AvoidedNode {
  std::string name;
  Time until;
  bool for_fabric = false;
  bool operator==(const AvoidedNode&) const = default;
};

/// The operator's memory between reconciles. It is part of `.status` and is stored before it is
/// acted on, so that another operator can continue from there.
struct Record {
  Phase phase = Phase::kPending;
  std::string reason;   ///< of the phase, in one word
  std::string message;  ///< of the phase, for people
  int attempt = 0;
  AttemptState state = AttemptState::kNone;
  std::string request;  ///< the last that was taken into account
  std::string hash;     ///< of its plan
  std::string storage;  ///< claim and subPath of that plan; empty: none
  int restarts = 0;
  int failures = 0;           ///< without a checkpoint of more images, which maxRestarts limits
  std::string failed_behind;  ///< the furthest checkpoint until then; empty: none
  std::optional<Ending> ending;
  std::optional<Time> restart_at;            ///< no new attempt before
  std::optional<Progress> progress;          ///< only with progressDeadlineSeconds, while it runs
  std::vector<AvoidedNode> avoided;          ///< by the current attempt, or the next
  std::optional<wire::Preflight> preflight;  ///< the last one
  bool fabric_accepted = false;              ///< trains even if it fails, until the spec is edited
  bool fabric_expires = false;               ///< it was edited: the next preflight must pass again
  bool operator==(const Record&) const = default;
};

/// Whether an attempt runs on a node that it avoids rather than to wait: once the fabric is
/// accepted, on those that the preflight named.
inline bool is_last_resort(const Record& record, const AvoidedNode& node) {
  return record.fabric_accepted && node.for_fabric;
}

/// Returns the names of the nodes that the attempt avoids: those of last resort, or the others.
std::vector<std::string> avoided_names(const Record& record, bool last_resort = false);

/// Whether a checkpoint has more images than the one behind which the failures were. An attempt
/// that had to fall back to an older one has not come further. Names: kimg-004200, kimg-000001.536.
bool has_come_further(const Record& record, const std::string& checkpoint);

/// Reads the record from a status; missing or invalid fields have their defaults.
Record read_record(const Json& status);
/// Writes the record into a status and keeps all other fields.
void write_record(const Record& record, Json& status);

}  // namespace ganscale::controller::gan_training
