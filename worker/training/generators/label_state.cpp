#include "training/generators/label_state.h"

#include <fmt/format.h>

#include <cstdint>
#include <exception>

#include "base/error.h"
#include "files/atomic_file.h"
#include "wire/integers.h"

namespace ganscale::training {
namespace {

constexpr const char* kFile = "label.json";

}  // namespace

LabelState parse_label_state(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    wire::require_integers<std::int64_t>(json, {"label", "records", "images_seen", "total_images"});
    wire::require_integers<int>(json, {"attempts", "exit_code"});
    return json.get<LabelState>();
  } catch (const std::exception& error) {
    throw DataError(error.what());
  }
}

std::filesystem::path label_folder(const RunFolder& run, std::int64_t label) {
  return run.root() / "labels" / fmt::format("label-{:04}", label);
}

std::optional<LabelState> read_label_state(const std::filesystem::path& label_folder) {
  const auto file = label_folder / kFile;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string text = files::read_file(file);
  try {
    return parse_label_state(text);
  } catch (const DataError& error) {
    throw DataError("the state of a label is damaged: " + file.string() + ": " + error.what());
  }
}

void write_label_state(const std::filesystem::path& label_folder, const LabelState& state) {
  files::write_file_atomically(label_folder / kFile, nlohmann::json(state).dump(2) + "\n");
}

}  // namespace ganscale::training
