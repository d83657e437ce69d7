#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kind/measured.h"
#include "kind/phase.h"

namespace ganscale::controller::scaling_sweep {

/// How a run ended.
struct Result {
  std::string run;                   ///< its name
  std::string hash;                  ///< of the spec that it ran
  std::optional<Measured> measured;  ///< absent: it failed
  std::string message;               ///< why it failed
  std::vector<std::string> nodes;    ///< that its workers ran on, sorted
  std::string image_id;              ///< with the digest
  int restarts = 0;
  bool operator==(const Result&) const = default;
};

/// The operator's memory between reconciles. It is part of `.status` and is stored before it is
/// acted on, so that another operator can continue from there.
struct Record {
  Phase phase = Phase::kPending;
  std::string reason;           ///< of the phase, in one word
  std::string message;          ///< of the phase, for people
  std::string current;          ///< name of the run that is to be there; empty: none
  std::vector<Result> results;  ///< in the order in which they came
  bool operator==(const Record&) const = default;
};

/// Returns the result of a run that ran this spec; null if there is none.
const Result* find_result(const Record& record, const std::string& run, const std::string& hash);

/// Reads the record from a status; missing or invalid fields have their defaults.
Record read_record(const Json& status);
/// Writes `nodeNames`, the nodes of all runs, and `runs`: how each run ended, with its nodes as
/// ranges in that list, such as 0-3,7. So the status of 640 runs on 64 nodes each stays small.
void write_results(const std::vector<Result>& results, Json& status);
/// Writes the record into a status and keeps all other fields.
void write_record(const Record& record, Json& status);

}  // namespace ganscale::controller::scaling_sweep
