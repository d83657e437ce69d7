#pragma once

#include <optional>
#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::scaling_sweep {

/// Values of `.status.phase`.
namespace phase {
inline constexpr const char* kPending = "Pending";  ///< not looked at, or refused: see Validated
inline constexpr const char* kRunning = "Running";
inline constexpr const char* kSuspended = "Suspended";
inline constexpr const char* kSucceeded = "Succeeded";
inline constexpr const char* kFailed = "Failed";
}  // namespace phase

/// What a worker measured: `.status.measured` of a GanTraining.
struct Measured {
  std::int64_t steps = 0;          ///< of the window; 0 if a whole training was measured
  double images_per_second = 0;    ///< of all ranks
  double seconds = 0;              ///< of the slowest rank
  double data_wait_seconds = 0;    ///< mean over the ranks
  double all_reduce_seconds = 0;   ///< waited for gradients of others; mean over the ranks
  double straggler_ratio = 1;      ///< work of the slowest rank over that of the mean
  double step_seconds_median = 0;  ///< of rank 0
  double step_seconds_p99 = 0;
  std::optional<double> memory_share;  ///< of a device, the highest of all
  std::optional<double> gpu_use;       ///< share of time, mean over the ranks
  bool operator==(const Measured&) const = default;
};

/// Reads and writes the fields of `.status.measured`. Reading gives nothing without a rate.
std::optional<Measured> read_measured(const Json& json);
Json to_json(const Measured& measured);

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
  std::string phase = phase::kPending;
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
