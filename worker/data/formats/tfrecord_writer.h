#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

#include "data/formats/record_index.h"

namespace ganscale::data {

/// Writes a file of TFRecord frames; also right for TensorBoard's event files.
class TfrecordWriter {
 public:
  /// Creates the file, or empties it. Throws DataError when it cannot.
  explicit TfrecordWriter(const std::filesystem::path& file);

  /// Appends one frame. Throws DataError when the disk is full.
  void append(std::span<const std::uint8_t> data);
  /// Hands what was appended to the operating system.
  void flush();
  /// Flushes and closes. Throws DataError when the disk is full.
  void close();

  /// Where the frames begin and the last one ends.
  const RecordOffsets& offsets() const { return offsets_; }

 private:
  void require_success();

  std::filesystem::path file_;
  std::ofstream out_;
  RecordOffsets offsets_ = {0};
};

}  // namespace ganscale::data
