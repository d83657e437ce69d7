#pragma once

#include <filesystem>

#include "base/error.h"

namespace ganscale::files {

/// A file is there, but the storage does not give its bytes: that may pass, and says nothing about
/// them. The message has the file and the system's reason.
class InputError : public DataError {
 public:
  using DataError::DataError;
};

/// Throws for a file that can't be opened or read for this errno: DataError if there is none,
/// otherwise InputError.
[[noreturn]] void fail_to_read(const std::filesystem::path& path, int reason);

/// Returns whether there is surely no such file. If the storage does not say, opening the file
/// gives the reason.
bool is_missing(const std::filesystem::path& path);

}  // namespace ganscale::files
