#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ganscale::data {

/// The most threads of a rank that read and decode.
inline constexpr int kMostReaderThreads = 1024;

/// A read failed because of the storage: what is stored may be undamaged.
class StorageError : public DataError {
 public:
  using DataError::DataError;
};

/// A read failed for a reason that may be transient: the network, a server, too many open files.
class TransientReadError : public StorageError {
 public:
  using StorageError::StorageError;
};

/// An open file with random access from several threads.
class StoredFile {
 public:
  virtual ~StoredFile() = default;
  virtual std::int64_t size_bytes() const = 0;
  /// Fills `into` with the bytes from `offset` on and returns their number, which is smaller only
  /// at the end of the file. Throws DataError with file and offset: StorageError if the storage
  /// failed, TransientReadError if that may pass.
  virtual std::int64_t read(std::int64_t offset, std::span<std::uint8_t> into) const = 0;
  /// Returns how many bytes are best read at once if others after them are read next.
  virtual std::int64_t block_bytes() const = 0;
  /// Returns when the file was last modified, in nanoseconds since 1970.
  virtual std::int64_t modified_ns() const = 0;
  /// Returns whether the file was surely written to since it was opened.
  virtual bool is_written() const = 0;
};

/// A file in a folder.
struct ListedFile {
  std::filesystem::path path;
  std::int64_t size_bytes = kUnknownSize;  ///< where listing a folder returns it
  bool is_broken_link = false;             ///< to a file that does not exist

  static constexpr std::int64_t kUnknownSize = -1;
};

/// Throws DataError for a broken link.
void require_target(const ListedFile& file);

/// Returns whether a file, or a folder on the way to it, is no part of a dataset: hidden, as `.x`,
/// macOS's `__MACOSX`, or the `lost+found` of a volume, which only root may open.
///
/// name: relative, with `/`; in archives it may begin with "./" or "../".
bool is_hidden(std::string_view name);

/// Returns the extension of a name in lower case, such as ".png"; empty for ".png" itself.
std::string lower_extension(std::string_view name);

/// Where files are. All functions are thread safe; they throw DataError with the path: StorageError
/// if the storage failed, TransientReadError if that may pass.
class Storage {
 public:
  virtual ~Storage() = default;
  virtual bool is_file(const std::filesystem::path& path) const = 0;
  virtual bool is_folder(const std::filesystem::path& path) const = 0;
  /// Returns the files, and the broken links, directly in a folder, in any order; no hidden ones.
  virtual std::vector<ListedFile> files_in(const std::filesystem::path& folder) const = 0;
  /// Returns the files, and the broken links, at any depth below a folder, in any order; no hidden
  /// ones: hidden folders, which may be another user's, are not opened.
  virtual std::vector<ListedFile> files_below(const std::filesystem::path& folder) const = 0;
  virtual std::unique_ptr<StoredFile> open(const ListedFile& file) const = 0;
};

/// Returns the storage that a path names: S3 for s3://BUCKET/KEY, otherwise the file system.
const Storage& storage_of(const std::filesystem::path& path);

/// Returns whether the path is one of the file system.
bool is_local(const std::filesystem::path& path);

/// Throws ConfigError unless the path is one of the file system. what: "the output folder".
void require_local(const std::filesystem::path& path, const char* what);

/// Throws ConfigError, which does not repeat the path, if it is s3://KEY:SECRET@BUCKET. what:
/// "data.path".
void require_no_credentials(const std::filesystem::path& path, const char* what);

}  // namespace ganscale::data
