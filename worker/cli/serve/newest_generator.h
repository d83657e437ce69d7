#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <map>
#include <optional>

#include "training/generators/trained_generator.h"

namespace ganscale::cli {

/// The generator of the newest checkpoint of a run that may be training. It only reads.
class NewestGenerator {
 public:
  NewestGenerator(std::filesystem::path run, c10::Device device)
      : run_(std::move(run)), device_(device) {}

  /// Loads the newest checkpoint, or the bundle of scheme per_label, unless it is loaded already.
  /// Skips what can't be read, such as a checkpoint that retention has just deleted, with a
  /// warning. Returns null while the run has none. Throws ConfigError for an invalid config.yaml.
  const training::TrainedGenerator* refresh();

 private:
  using Time = std::filesystem::file_time_type;

  bool load(const std::filesystem::path& checkpoint);

  std::filesystem::path run_;
  c10::Device device_;
  std::optional<training::TrainedGenerator> loaded_;
  Time written_{};                                    ///< when the loaded one was
  std::map<std::filesystem::path, Time> unreadable_;  ///< and when they were written
};

}  // namespace ganscale::cli
