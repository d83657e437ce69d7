#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace ganscale::data {

/// The size limit of an unpacked gzip file.
inline constexpr std::int64_t kLargestUnpackedBytes = std::int64_t{4} << 30;

/// A read failed for a reason that may pass: the network, a server, too many open files.
class TransientReadError : public DataError {
 public:
  using DataError::DataError;
};

/// The bytes of a file, with random access from several threads.
///
/// A plain file is read with pread(): unlike with mmap(), a shrinking file or a network failure is
/// an error that names the file, not a signal. If it is written to meanwhile, the next read logs a
/// warning. A gzip file is unpacked into memory once, since deflate has no random access.
class FileBytes {
 public:
  /// Opens the file and unpacks it if it is gzipped. Throws DataError: missing, not readable,
  /// damaged, larger than kLargestUnpackedBytes when unpacked. TransientReadError as read().
  explicit FileBytes(const std::filesystem::path& file);
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;
  FileBytes(const FileBytes&) = delete;
  ~FileBytes();

  const std::filesystem::path& file() const { return file_; }
  std::int64_t size_bytes() const { return size_bytes_; }
  bool unpacked() const { return descriptor_ < 0; }

  /// Returns `count` bytes at `offset`, in own memory or in `buffer`. Throws DataError with file
  /// and offset if the file ends before or cannot be read; TransientReadError if that may pass.
  std::span<const std::uint8_t> read(std::int64_t offset, std::int64_t count,
                                     std::vector<std::uint8_t>& buffer) const;
  /// Reads up to `count` bytes: fewer at the end of the file.
  std::span<const std::uint8_t> read_some(std::int64_t offset, std::int64_t count,
                                          std::vector<std::uint8_t>& buffer) const;

 private:
  void unpack();
  void warn_once_if_written() const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
  std::int64_t modified_ns_ = 0;
  mutable std::atomic<bool> is_written_ = false;
  std::vector<std::uint8_t> unpacked_;
};

/// Returns the content of a file, unpacked if it is gzipped.
std::vector<std::uint8_t> read_file(const std::filesystem::path& file);

}  // namespace ganscale::data
