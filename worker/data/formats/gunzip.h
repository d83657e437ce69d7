#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/storage/storage.h"

namespace ganscale::data {

/// The size limit of an unpacked gzip file.
inline constexpr std::int64_t kLargestUnpackedBytes = std::int64_t{4} << 30;

/// Returns whether a file is gzipped, by its first bytes.
bool is_gzip(const StoredFile& file);

/// Unpacks a gzip file of one or more members; other bytes after them are ignored, as gzip does.
/// Throws DataError with file and offset if it is damaged or larger than kLargestUnpackedBytes.
std::vector<std::uint8_t> gunzip(const StoredFile& file, const std::filesystem::path& path);

}  // namespace ganscale::data
