#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

#include "data/formats/record_index.h"

namespace ganscale::data {

/// Writes a file of TFRecord frames, which TensorBoard's event files use as well.
///
/// Throws: DataError with file, offset and the system's reason (disk full, ...) from every member
///         that writes.
class TfrecordWriter {
 public:
  /// Creates or truncates the file.
  explicit TfrecordWriter(const std::filesystem::path& file);

  /// Appends a frame.
  void append(std::span<const std::uint8_t> data);
  /// Flushes to the operating system.
  void flush();
  /// Flushes and closes.
  void close();

  /// The offsets of the frames, and the end of the last one.
  const RecordOffsets& offsets() const { return offsets_; }

 private:
  void require_success();

  std::filesystem::path file_;
  std::ofstream out_;
  RecordOffsets offsets_ = {0};
};

}  // namespace ganscale::data
