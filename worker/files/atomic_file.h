#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ganscale::files {

/// An output file can't be written. The message has the file and the system's reason (disk full,
/// read-only, ...). The training loop decides whether the run continues.
class OutputError : public DataError {
 public:
  using DataError::DataError;
};

/// Returns a name for a file that is renamed to `path` once it is complete. No other process picks
/// the same name, on any machine that shares the folder.
std::filesystem::path temporary_beside(std::filesystem::path path);

/// Writes a file atomically: to the disk under a temporary name in the same folder, then renames
/// it. Creates missing parent folders. Throws OutputError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Creates the missing folders above a file that is to be written later. Throws OutputError if it
/// can't be written, before its content is computed in vain.
///
/// path: of the file, or of the folder of several files, with a slash at its end.
void prepare_to_write(const std::filesystem::path& path);

/// Reads a file from `offset_bytes` to its end; beyond its end there is nothing. Throws as
/// fail_to_read() does (files/input_error.h).
std::string read_file(const std::filesystem::path& path, std::uint64_t offset_bytes = 0);

}  // namespace ganscale::files
