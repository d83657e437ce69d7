#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ganscale::wire {

/// Commands to a running training. Each is idempotent.
enum class Command {
  kPause,       ///< finishes the step, then waits for kResume
  kResume,      ///< continues after kPause
  kCheckpoint,  ///< writes a checkpoint after this step
  kStop,        ///< writes a checkpoint and ends the run
};

/// Returns the name on the wire: pause, resume, checkpoint or stop.
std::string_view name(Command command);

/// Returns {"command": "<name>"}.
nlohmann::ordered_json to_json(Command command);

/// Parses {"command": "<name>"} and ignores other fields. Returns nothing for any other text.
std::optional<Command> parse_command(std::string_view text);

}  // namespace ganscale::wire
