#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/safetensors_header.h"

namespace ganscale::training {

inline constexpr const char* kLabelBundleKind = "label_bundle";

/// What the metadata of a bundle file say.
struct LabelBundleMetadata {
  std::string config;  ///< as YAML
  int channels = 3;
  std::vector<double> label_probabilities;  ///< of all labels; 0 for one without a generator
  std::vector<std::string> label_names;     ///< of all labels; empty if the data have none
  std::int64_t images_seen = 0;
};

/// Throws DataError, which names the file, for other metadata.
LabelBundleMetadata parse_label_bundle_metadata(const checkpoint::Metadata& metadata,
                                                const std::filesystem::path& file);

}  // namespace ganscale::training
