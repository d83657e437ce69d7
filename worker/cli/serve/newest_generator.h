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
  /// warning; what the storage failed to give, it tries again the next time. Returns null while the
  /// run has none. Throws ConfigError for an invalid config.yaml.
  const training::TrainedGenerator* refresh();

 private:
  using Time = std::filesystem::file_time_type;

  /// Why a checkpoint is skipped.
  struct Failure {
    Time written{};         ///< when the checkpoint was
    bool may_pass = false;  ///< the storage did not give its bytes
  };

  /// written: when the checkpoint was. Returns false if it has to be skipped.
  bool load(const std::filesystem::path& checkpoint, Time written);

  std::filesystem::path run_;
  c10::Device device_;
  std::optional<training::TrainedGenerator> loaded_;
  Time written_{};  ///< when the loaded one was
  std::map<std::filesystem::path, Failure> failures_;
};

}  // namespace ganscale::cli
