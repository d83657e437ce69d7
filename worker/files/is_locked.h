#pragma once

#include <filesystem>

namespace ganscale::files {

/// Returns whether another process holds the FolderLock of this file. Writes nothing.
///
/// It holds a shared lock for a moment, which a FolderLock that is taken just then waits for.
/// Returns false without the file, and on file systems without locks.
bool is_locked(const std::filesystem::path& file);

}  // namespace ganscale::files
