#include "wire/command.h"

#include <array>
#include <utility>

namespace ganscale::wire {
namespace {

constexpr std::array<std::pair<Command, std::string_view>, 4> kCommandNames{{
    {Command::kPause, "pause"},
    {Command::kResume, "resume"},
    {Command::kCheckpoint, "checkpoint"},
    {Command::kStop, "stop"},
}};

}  // namespace

std::string_view name(Command command) {
  for (const auto& [known, word] : kCommandNames) {
    if (known == command) return word;
  }
  return "";
}

nlohmann::ordered_json to_json(Command command) { return {{"command", name(command)}}; }

std::optional<Command> parse_command(std::string_view text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto field = json.find("command");
  if (field == json.end() || !field->is_string()) return std::nullopt;
  for (const auto& [known, word] : kCommandNames) {
    if (field->get_ref<const std::string&>() == word) return known;
  }
  return std::nullopt;
}

}  // namespace ganscale::wire
