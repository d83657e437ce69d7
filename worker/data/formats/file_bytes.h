#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "data/storage/storage.h"

namespace ganscale::data {

/// What to do with a gzipped file: deflate has no random access, so its content is unpacked into
/// memory.
enum class Gzip { kUnpack, kRefuse };

/// The bytes of a file in any storage, with random access from several threads.
///
/// If the file is written to meanwhile, the next read logs a warning, if the storage notices.
class FileBytes {
 public:
  /// Opens the file and unpacks it into memory if it is gzipped. Throws DataError: missing, not
  /// readable, damaged, larger than kLargestUnpackedBytes when unpacked, or to be refused.
  /// StorageError as read().
  explicit FileBytes(const std::filesystem::path& file, Gzip gzip = Gzip::kUnpack);
  FileBytes(FileBytes&& other) noexcept;

  const std::filesystem::path& file() const { return file_; }
  std::int64_t size_bytes() const { return size_bytes_; }
  bool unpacked() const { return stored_ == nullptr; }
  /// When the file was last modified, in nanoseconds since 1970.
  std::int64_t modified_ns() const { return modified_ns_; }
  /// Returns how many bytes are best read at once if others after them are read next.
  std::int64_t block_bytes() const { return block_bytes_; }

  /// Returns `count` bytes at `offset`, in own memory or in `buffer`. Throws DataError with file
  /// and offset if the file ends before or cannot be read: StorageError as StoredFile::read().
  std::span<const std::uint8_t> read(std::int64_t offset, std::int64_t count,
                                     std::vector<std::uint8_t>& buffer) const;
  /// Reads up to `count` bytes: fewer at the end of the file.
  std::span<const std::uint8_t> read_some(std::int64_t offset, std::int64_t count,
                                          std::vector<std::uint8_t>& buffer) const;

 private:
  void warn_once_if_written() const;

  std::filesystem::path file_;
  std::unique_ptr<StoredFile> stored_;  ///< null if it was unpacked
  std::int64_t size_bytes_ = 0;
  std::int64_t modified_ns_ = 0;
  std::int64_t block_bytes_ = 0;
  mutable std::atomic<bool> is_written_ = false;
  std::vector<std::uint8_t> unpacked_;
};

/// Throws the DataError for a compressed file of a format that is read in any order.
[[noreturn]] void refuse_compressed(const std::filesystem::path& file);

/// Returns the content of a file, unpacked if it is gzipped.
std::vector<std::uint8_t> read_file(const std::filesystem::path& file);

}  // namespace ganscale::data
