#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "files/file_descriptor.h"
#include "files/sha256.h"

namespace ganscale::files {

/// Size and SHA-256 of a file's content.
struct FileDigest {
  std::int64_t size_bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits, lower case
  bool operator==(const FileDigest&) const = default;
};

/// Writes a new file whose bytes are on the disk once finish() has returned.
///
/// Throws: OutputError with file and reason (disk full, read-only, ...) from every member.
class DurableFile {
 public:
  /// Creates or truncates the file.
  explicit DurableFile(std::filesystem::path file);
  void write(std::span<const std::byte> bytes);
  /// Flushes to the disk and closes.
  FileDigest finish();

 private:
  std::filesystem::path file_;
  FileDescriptor descriptor_;
  Sha256 sha256_;
  std::int64_t size_bytes_ = 0;
};

/// Reads a file and returns its size and SHA-256. Throws as fail_to_read() does.
FileDigest digest_file(const std::filesystem::path& file);

/// Syncs the bytes of a file that is already written to the disk. Throws OutputError.
void sync_file(const std::filesystem::path& file);

/// Syncs the entries of a folder (new, renamed and removed files) to the disk. Throws OutputError.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and the missing ones above it, and syncs their entries to the disk: otherwise a
/// power failure could take what is synced in a new folder with it.
///
/// Throws: filesystem_error if a folder can't be created; OutputError if its entry can't be synced.
void create_folders(const std::filesystem::path& folder);

/// Exchanges the names of two files or folders in one folder, atomically, and syncs them to the
/// disk. Returns false, and does nothing, if that fails: not every file system can do it. Throws
/// OutputError if the names can't be synced.
bool exchange_durably(const std::filesystem::path& one, const std::filesystem::path& other);

/// Renames a file, replacing an existing one, and syncs the new name to the disk.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ganscale::files
