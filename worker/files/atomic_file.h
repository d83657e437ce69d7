#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ganscale::files {

/// An output file can't be written: the message names it and the system's reason (disk full, read
/// only, ...). Whether a run survives it is the training loop's decision.
class OutputError : public DataError {
 public:
  using DataError::DataError;
};

/// Returns a name for a file that is renamed to `path` once it is complete. No other process picks
/// the same name, on any machine that shares the folder.
std::filesystem::path temporary_beside(std::filesystem::path path);

/// Writes a file so that a reader sees all of it or the old one: a temporary name beside it, then a
/// rename. Makes missing parent folders. Throws OutputError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Reads a whole file. Throws DataError with the system's reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace ganscale::files
