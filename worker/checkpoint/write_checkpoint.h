#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// Thrown by write_checkpoint() if it was asked to stop.
struct WriteAbandoned {};

/// Writes a snapshot as checkpoints/kimg-004200 of the run folder. Returns the bytes of its
/// tensors.
///
/// Atomic, even with SIGKILL or a power failure: the files are written to
/// checkpoints/.tmp-kimg-004200 and synced, the manifest last, and then the folder is renamed.
/// Replaces a checkpoint of that name, which may be of other weights: atomically, too, if the file
/// system can exchange folders; on others, such as NFS, there is none for a moment.
///
/// snapshot:  tensors on the CPU (see HostCopy).
/// may_write: asked before the folder is renamed; throws if nothing may be written any more.
/// Throws:    DataError with path and reason (disk full, read-only, ...); WriteAbandoned; what
///            may_write throws. All remove the temporary folder if possible.
std::int64_t write_checkpoint(
    const std::filesystem::path& run_folder, const Snapshot& snapshot,
    const std::stop_token& stop = {}, const std::function<void()>& may_write = [] {});

/// Adds metrics to a checkpoint's manifest, atomically. Leaves out NaN and infinity. Throws
/// DataError.
void add_metrics(const std::filesystem::path& checkpoint_folder,
                 const std::map<std::string, double>& metrics);

/// Deletes a checkpoint atomically. Throws DataError.
void delete_checkpoint(const std::filesystem::path& checkpoint_folder);

/// Removes what killed runs and failed deletions left. No checkpoint may be being written. Logs
/// what can't be removed.
void remove_leftovers(const std::filesystem::path& run_folder);

}  // namespace ganscale::checkpoint
