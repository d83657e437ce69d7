#pragma once

#include <string>
#include <vector>

#include "data/formats/file_bytes.h"

namespace ganscale::data {

/// A file in a zip archive.
struct ZipEntry {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  bool encrypted = false;
  std::uint32_t crc32 = 0;
  std::int64_t packed_bytes = 0;
  std::int64_t count_bytes = 0;
  std::int64_t header_offset = 0;
};

/// Reads the central directory of a zip archive, including zip64 (needed for 70,000 images).
///
/// By hand, since libarchive and minizip read an archive from a single thread with one position.
/// Format: PKWARE, APPNOTE.TXT, 4.3.12 to 4.3.16 and 4.5.3.
/// Throws: DataError with file and offset if it is truncated or damaged.
std::vector<ZipEntry> read_zip_directory(const FileBytes& bytes);

/// Reads a file of the archive into `buffer`, inflates it and verifies its CRC-32. Thread safe.
/// Throws DataError with the reason only.
std::span<const std::uint8_t> read_zip_entry(const FileBytes& bytes, const ZipEntry& entry,
                                             std::vector<std::uint8_t>& buffer);

}  // namespace ganscale::data
