#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/json.h"

namespace ganscale::controller {

using Time = std::chrono::sys_seconds;

/// Writes 2026-11-21T07:00:00Z.
std::string format_time(Time time);
/// Reads what format_time writes, also with fractions of a second; nothing if it is no time.
std::optional<Time> parse_time(const std::string& text);

/// Where a training is in its life: `.status.phase`.
namespace phase {
inline constexpr const char* kPending = "Pending";  ///< not looked at, or refused: see Validated
inline constexpr const char* kValidated = "Validated";    ///< accepted, its attempt is being made
inline constexpr const char* kScheduling = "Scheduling";  ///< waits for nodes
inline constexpr const char* kRunning = "Running";
inline constexpr const char* kResizing = "Resizing";
inline constexpr const char* kRestarting = "Restarting";
inline constexpr const char* kSuspended = "Suspended";
inline constexpr const char* kSucceeded = "Succeeded";
inline constexpr const char* kFailed = "Failed";
}  // namespace phase

/// What an attempt is to the operator, whether or not its MPIJob is seen.
enum class AttemptState {
  kNone,    ///< there was none yet
  kWanted,  ///< its number is taken; its MPIJob may or may not have been made
  kLive,    ///< its MPIJob was seen
  kEnded,   ///< its MPIJob is gone, or is to go
};

/// Why an attempt is brought to its end, and since when.
struct Ending {
  std::string reason;  ///< Resize, ConfigChange, SpecChange, Suspend, Delete
  Time since;
  bool operator==(const Ending&) const = default;
};

/// What the operator must remember from one look to the next. It lies in `.status`, written before
/// anything is done about it, so that another operator can go on from there.
struct Record {
  std::string phase = phase::kPending;
  std::string reason;   ///< of the phase, in one word
  std::string message;  ///< of the phase, for people
  int attempt = 0;
  AttemptState state = AttemptState::kNone;
  std::string hash;  ///< of the plan that the attempt was made of
  int restarts = 0;
  std::optional<Ending> ending;
  std::optional<Time> restart_at;  ///< no new attempt before
  bool operator==(const Record&) const = default;
};

/// Reads the record from a status; what is missing or odd has its default.
Record read_record(const Json& status);
/// Writes the record into a status and leaves everything else there.
void write_record(const Record& record, Json& status);

}  // namespace ganscale::controller
