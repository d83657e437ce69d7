#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// The folder of a run that holds its checkpoints.
inline constexpr std::string_view kCheckpointsFolder = "checkpoints";

/// Thrown by write_checkpoint() when it was asked to stop.
struct WriteAbandoned {};

/// Writes a snapshot as checkpoints/kimg-004200 of the run folder and returns its tensors' bytes.
///
/// At any moment, also after SIGKILL or a power cut, that folder is whole or absent: the files go
/// into checkpoints/.tmp-kimg-004200 and onto the disk, the manifest last, then the folder is
/// renamed. A valid checkpoint of that name is left as it is; an invalid one is replaced.
///
/// snapshot: tensors on the CPU (see HostCopy).
/// Throws:   DataError with path and reason (disk full, read-only, ...); WriteAbandoned. Then the
///           temporary folder is gone, as far as it can be removed.
std::int64_t write_checkpoint(const std::filesystem::path& run_folder, const Snapshot& snapshot,
                              const std::stop_token& stop = {});

/// Adds what was measured of a checkpoint to its manifest, which is either the new or the old one
/// at any moment; a value that is NaN or infinite is left out. Throws DataError.
void add_metrics(const std::filesystem::path& checkpoint_folder,
                 const std::map<std::string, double>& metrics);

/// Removes a checkpoint so that no half of one is ever seen. Throws DataError.
void delete_checkpoint(const std::filesystem::path& checkpoint_folder);

/// Removes the temporary folders that a killed run left. What can't be removed is logged.
void remove_leftovers(const std::filesystem::path& run_folder);

}  // namespace ganscale::checkpoint
