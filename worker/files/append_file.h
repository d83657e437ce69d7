#pragma once

#include <filesystem>
#include <string_view>

#include "base/non_copyable.h"

namespace ganscale::files {

/// A file for appending records: a killed process leaves at most one incomplete record at the end,
/// a full disk none.
class AppendFile : NonCopyable {
 public:
  /// Opens a file, or creates it and its missing parent folders. Throws OutputError.
  explicit AppendFile(std::filesystem::path path);
  ~AppendFile();

  /// Appends all of `bytes` or nothing. Throws OutputError.
  void append(std::string_view bytes);
  /// Truncates the file to `size_bytes` bytes. Throws OutputError.
  void truncate(std::size_t size_bytes);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace ganscale::files
