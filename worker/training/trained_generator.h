#pragma once

#include <filesystem>
#include <memory>

#include "models/model.h"
#include "training/run_config.h"

namespace ganscale::training {

/// The average of the generator of a checkpoint, on the CPU, in eval mode and without gradients.
struct TrainedGenerator {
  std::shared_ptr<models::Generator> generator;
  RunConfig config;
  std::filesystem::path checkpoint;
  std::int64_t images_seen = 0;
};

/// Loads the generator of a run's newest valid checkpoint.
/// Throws DataError where the folder holds no run or no valid checkpoint; ConfigError if its
/// config.yaml is broken.
TrainedGenerator load_newest_generator(const std::filesystem::path& run_folder);

/// Loads the generator of one checkpoint, a folder in a run's checkpoints/. Throws as above.
TrainedGenerator load_generator(const std::filesystem::path& checkpoint_folder);

}  // namespace ganscale::training
