#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tensors/named_tensors.h"

namespace ganscale::checkpoint {

/// All that a run needs to go on as if it had never stopped.
struct Snapshot {
  std::int64_t images_seen = 0;
  /// One safetensors file each: "generator", "discriminator", "generator_ema",
  /// "generator_optimizer", ...
  std::map<std::string, NamedTensors> files;
  /// Progress, seeds, cursor, the world that wrote it: small facts, kept in the manifest.
  nlohmann::ordered_json state;
  /// What was measured of these weights ("fid50k": 7.9), as far as it is known: decides which
  /// checkpoint is the best.
  std::map<std::string, double> metrics;
};

}  // namespace ganscale::checkpoint
