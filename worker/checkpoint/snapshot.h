#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tensors/named_tensors.h"

namespace ganscale::checkpoint {

/// The complete state of a run, from which it resumes as if it had never stopped.
struct Snapshot {
  std::int64_t images_seen = 0;
  /// One safetensors file each: "generator", "discriminator", "generator_ema",
  /// "generator_optimizer", ...
  std::map<std::string, NamedTensors> files;
  /// Small values that the manifest stores: progress, seeds, cursor, the world that wrote it.
  nlohmann::ordered_json state;
  /// Metrics of these weights ("fid50k": 7.9), as far as they were measured. They decide which
  /// checkpoint is the best.
  std::map<std::string, double> metrics;
};

}  // namespace ganscale::checkpoint
