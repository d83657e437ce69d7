#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"
#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// A checkpoint as seen by its manifest and the sizes of its files; their content is not read.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::int64_t images_seen = 0;
  std::int64_t size_bytes = 0;
  std::map<std::string, double> metrics;
  std::string defect;  ///< why it can't be used; empty if it can
};

/// Returns why a path is not the folder of a run or a checkpoint, and what to do: it is a file or a
/// URL, as of public weights. Empty for any other path.
std::string why_not_a_folder(const std::filesystem::path& path);

/// Lists the checkpoints of a run folder, oldest first. Ignores folders with other names. Returns
/// an empty list if the run has none; throws DataError if their folder can't be read, since there
/// may be some, or if the path is a file, a URL or a checkpoint.
std::vector<CheckpointInfo> list_checkpoints(const std::filesystem::path& run_folder);

/// Reads a checkpoint's manifest, not the files it lists. Throws DataError.
Manifest read_manifest(const std::filesystem::path& checkpoint_folder);

/// Reads all files of a checkpoint and compares size and SHA-256 with the manifest.
///
/// Throws: DataError with file and reason if a file is missing, truncated or modified.
Manifest verify_checkpoint(const std::filesystem::path& checkpoint_folder);

/// Returns the folder of a run's newest valid checkpoint, or nothing if the run has none at all.
///
/// Logs a warning with the reason for each invalid one and tries the one before it.
/// Throws: DataError if there are checkpoints but none is valid or can be read: a run must not
///         start over by accident.
std::optional<std::filesystem::path> newest_valid_checkpoint(
    const std::filesystem::path& run_folder);

/// Verifies and loads a checkpoint, with tensors on the CPU. Throws like verify_checkpoint().
Snapshot load_checkpoint(const std::filesystem::path& checkpoint_folder);

}  // namespace ganscale::checkpoint
