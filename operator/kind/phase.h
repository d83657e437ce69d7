#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/enum_names.h"
#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller {

/// The phase of a resource: `.status.phase`. A kind has those that it needs.
enum class Phase {
  kPending,     ///< not looked at, or refused: see the condition Validated
  kValidated,   ///< accepted, its attempt is being made
  kScheduling,  ///< waits for nodes
  kRunning,
  kResizing,
  kRestarting,
  kSuspended,
  kSucceeded,
  kFailed,
};

inline constexpr EnumNames<Phase, 9> kPhases{{
    {Phase::kPending, "Pending"},
    {Phase::kValidated, "Validated"},
    {Phase::kScheduling, "Scheduling"},
    {Phase::kRunning, "Running"},
    {Phase::kResizing, "Resizing"},
    {Phase::kRestarting, "Restarting"},
    {Phase::kSuspended, "Suspended"},
    {Phase::kSucceeded, "Succeeded"},
    {Phase::kFailed, "Failed"},
}};

/// Returns the condition that has the name of a phase: true in that phase, with its reason.
Condition phase_condition(Phase of, Phase phase, const std::string& reason,
                          const std::string& message);

/// Returns since when a resource has succeeded or failed, by the conditions of its status.
std::optional<Time> over_since(const Json& status);

/// Reads the phase of a status; kPending if it has none, or one that is unknown.
Phase read_phase(const Json& status);

/// Reads the phase of a status, its reason and its message into a record.
template <class Record>
void read_phase(const Json& status, Record& record) {
  record.phase = read_phase(status);
  record.reason = text_at(status, "/reason");
  record.message = text_at(status, "/message");
}

template <class Record>
void write_phase(const Record& record, Json& status) {
  status["phase"] = name_in(kPhases, record.phase);
  status["reason"] = record.reason;
  status["message"] = record.message;
}

/// Sets the phase of a decision's record.
template <class Decision>
void set_phase(Decision& decision, Phase phase, std::string reason, std::string message) {
  decision.record.phase = phase;
  decision.record.reason = std::move(reason);
  decision.record.message = std::move(message);
}

}  // namespace ganscale::controller
