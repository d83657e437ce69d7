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

/// One checkpoint of a run as its manifest and the sizes of its files show it; the content is not
/// read.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::int64_t images_seen = 0;
  std::int64_t size_bytes = 0;
  std::map<std::string, double> metrics;
  std::string defect;  ///< empty, or why it can't be used
};

/// Lists the checkpoints of a run folder, the oldest first. Folders of other names are left out; a
/// run without checkpoints gives an empty list. Throws DataError if their folder can't be read:
/// they may be there all the same.
std::vector<CheckpointInfo> list_checkpoints(const std::filesystem::path& run_folder);

/// Reads a checkpoint's manifest; the files that it names are not looked at. Throws DataError.
Manifest read_manifest(const std::filesystem::path& checkpoint_folder);

/// Reads every byte of a checkpoint and compares sizes and SHA-256 with its manifest.
///
/// Throws: DataError with file and reason, if a file is missing, truncated or changed.
Manifest verify_checkpoint(const std::filesystem::path& checkpoint_folder);

/// Returns the folder of the newest valid checkpoint of a run; nothing if the run has none at all.
///
/// An invalid one is logged as a warning with the reason, and the one before it is tried.
/// Throws: DataError if there are checkpoints, but not a valid one: a run must not start anew by
///         accident.
std::optional<std::filesystem::path> newest_valid_checkpoint(
    const std::filesystem::path& run_folder);

/// Verifies a checkpoint and reads it; the tensors are on the CPU. Throws as verify_checkpoint.
Snapshot load_checkpoint(const std::filesystem::path& checkpoint_folder);

}  // namespace ganscale::checkpoint
