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

/// The manifest makes a folder a checkpoint. It is written last and lists all files with size and
/// SHA-256.
struct Manifest {
  std::int64_t images_seen = 0;
  std::map<std::string, double> metrics;
  std::map<std::string, ganscale::files::FileDigest>
      files;  ///< by file name: "generator.safetensors"
  nlohmann::ordered_json state;
};

/// Returns the total size of all files in the manifest.
std::int64_t total_size_bytes(const Manifest& manifest);

/// Serializes a manifest as JSON with a SHA-256 of its own. Equal manifests give equal bytes.
std::string format_manifest(const Manifest& manifest);

/// Parses the result of format_manifest().
///
/// Throws: DataError with `file`: not JSON, nested too deeply, another format or version, a missing
///         key, a file name that points outside the folder, an impossible size, or a SHA-256
///         mismatch.
Manifest parse_manifest(std::string_view text, const std::filesystem::path& file);

}  // namespace ganscale::checkpoint
