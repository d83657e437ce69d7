#include "training/generators/label_state.h"

#include <fmt/format.h>

#include "base/error.h"
#include "files/atomic_file.h"

namespace ganscale::training {
namespace {

constexpr const char* kFile = "label.json";

}  // namespace

std::filesystem::path label_folder(const RunFolder& run, std::int64_t label) {
  return run.root() / "labels" / fmt::format("label-{:04}", label);
}

std::optional<LabelState> read_label_state(const std::filesystem::path& label_folder) {
  const auto file = label_folder / kFile;
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return nlohmann::json::parse(files::read_file(file)).get<LabelState>();
  } catch (const nlohmann::json::exception& error) {
    throw DataError("the state of a label is damaged: " + file.string() + ": " + error.what());
  }
}

void write_label_state(const std::filesystem::path& label_folder, const LabelState& state) {
  files::write_file_atomically(label_folder / kFile, nlohmann::json(state).dump(2) + "\n");
}

}  // namespace ganscale::training
