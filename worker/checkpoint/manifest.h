#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "files/durable_file.h"

namespace ganscale::checkpoint {

inline constexpr std::string_view kManifestFile = "manifest.json";

/// What makes a folder a checkpoint: written last, it names every file with its size and SHA-256.
struct Manifest {
  std::int64_t images_seen = 0;
  std::map<std::string, double> metrics;
  std::map<std::string, ganscale::files::FileDigest>
      files;  ///< by file name: "generator.safetensors"
  nlohmann::ordered_json state;
};

/// Returns the bytes of all files that the manifest names.
std::int64_t total_size_bytes(const Manifest& manifest);

/// Writes a manifest as JSON, with a SHA-256 of its own. The same manifest gives the same bytes.
std::string format_manifest(const Manifest& manifest);

/// Reads what format_manifest() wrote.
///
/// Throws: DataError with `file`: no JSON, another format or version, a missing key, a file name
///         that leads out of the folder, or bytes that do not fit its SHA-256.
Manifest parse_manifest(std::string_view text, const std::filesystem::path& file);

}  // namespace ganscale::checkpoint
