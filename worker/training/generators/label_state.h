#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "training/run/run_folder.h"
#include "wire/label_stage.h"

namespace ganscale::training {

/// The state of a label's training: the file label.json in its folder.
struct LabelState {
  std::int64_t label = 0;
  std::string name;  ///< in the dataset, or empty
  std::int64_t records = 0;
  wire::LabelStage state = wire::LabelStage::kWaiting;
  int attempts = 0;
  std::int64_t images_seen = 0;
  std::int64_t total_images = 0;
  double seconds = 0;        ///< of training, as in its checkpoints
  double spent_seconds = 0;  ///< by all finished attempts, including setup and checkpoints
  std::string error;         ///< why it failed
  int exit_code = 0;         ///< of that error

  /// Returns whether it has a usable generator.
  bool is_trained() const { return wire::is_trained(state); }

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(LabelState, label, name, records, state, attempts, images_seen,
                                 total_images, seconds, spent_seconds, error, exit_code)
};

/// Parses the content of the file. Throws DataError, which does not name the file.
LabelState parse_label_state(std::string_view text);

/// Returns the folder of a label's training.
std::filesystem::path label_folder(const RunFolder& run, std::int64_t label);

/// Returns the state in a label's folder, or nothing if there is none. Throws DataError for a
/// damaged file.
std::optional<LabelState> read_label_state(const std::filesystem::path& label_folder);

/// Throws files::OutputError.
void write_label_state(const std::filesystem::path& label_folder, const LabelState& state);

}  // namespace ganscale::training
