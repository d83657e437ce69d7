#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ganscale::wire {

/// What a running training can be told. Each may be repeated without harm.
enum class Command {
  kPause,       ///< finish the step, then wait for kResume
  kResume,      ///< go on after kPause
  kCheckpoint,  ///< write a checkpoint after this step
  kStop,        ///< write a checkpoint and end the run
};

/// Returns the word on the wire: pause, resume, checkpoint or stop.
std::string_view name(Command command);

/// Returns {"command": "<name>"}.
nlohmann::ordered_json to_json(Command command);

/// Reads {"command": "<name>"}, other fields ignored; nothing if the text is not that.
std::optional<Command> parse_command(std::string_view text);

}  // namespace ganscale::wire
