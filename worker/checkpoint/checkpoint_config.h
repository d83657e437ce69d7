#pragma once

#include <string>

#include "config/section.h"

namespace ganscale::checkpoint {

/// What to do when a checkpoint can't be written.
enum class OnError { kContinue, kStop };

/// The section `checkpoint` of the configuration.
struct CheckpointConfig {
  double every_kimg = 200;
  int keep_last = 3;
  std::string keep_best{};
  int keep_best_count = 1;
  OnError on_error = OnError::kContinue;
};

/// Throws ConfigError.
CheckpointConfig parse_checkpoint(config::Section in);

}  // namespace ganscale::checkpoint
