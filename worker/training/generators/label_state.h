#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "training/run/run_folder.h"

namespace ganscale::training {

/// How far the training of one label is: the file label.json of its folder.
struct LabelState {
  std::int64_t label = 0;
  std::string name;  ///< of the label in the data set, or empty
  std::int64_t records = 0;
  std::string state = "waiting";  ///< waiting, training, done, out_of_budget or failed
  int attempts = 0;
  std::int64_t images_seen = 0;
  std::int64_t total_images = 0;
  double seconds = 0;        ///< of training, as its checkpoints count it
  double spent_seconds = 0;  ///< by all attempts that ended, set-up and checkpoints included
  std::string error;         ///< why it failed
  int exit_code = 0;         ///< of that error

  /// Whether there is a generator of it to use.
  bool is_trained() const { return state == "done" || state == "out_of_budget"; }

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(LabelState, label, name, records, state, attempts, images_seen,
                                 total_images, seconds, spent_seconds, error, exit_code)
};

/// Returns the folder of a label's training.
std::filesystem::path label_folder(const RunFolder& run, std::int64_t label);

/// Returns the state in a label's folder, nothing if there is none. Throws DataError for a damaged
/// file.
std::optional<LabelState> read_label_state(const std::filesystem::path& label_folder);

/// Throws files::OutputError.
void write_label_state(const std::filesystem::path& label_folder, const LabelState& state);

}  // namespace ganscale::training
