#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/formats/file_bytes.h"

namespace ganscale::data {

/// Where each frame of a TFRecord file begins, and, last, where the file ends: record i lies in
/// [offsets[i], offsets[i + 1]).
using RecordOffsets = std::vector<std::int64_t>;

/// Returns the offsets of a TFRecord file, from its index file if that is still true, else by
/// walking over the file once, which checks the checksum of every length.
///
/// The index file lies beside the data (`x.tfrecords.index`), or where that folder is read-only in
/// the user's cache folder (`${XDG_CACHE_HOME:-~/.cache}/ganscale/index`). It is true while the
/// data file's size and time of change are those that it names. It is written to a temporary name
/// and renamed, so that ranks that start together may each write it; where it cannot be written,
/// the next start walks again. A gzip'ed file has none, since it is unpacked at each start anyway.
///
/// Throws: DataError with file, record and offset where the file is truncated or damaged.
RecordOffsets record_offsets(const FileBytes& bytes);

/// Writes the index file of a TFRecord file that was just written. Tells whether it could.
bool write_index(const std::filesystem::path& file, const RecordOffsets& offsets);

/// Returns the index file's path for a data file.
std::filesystem::path index_path(const std::filesystem::path& file);

}  // namespace ganscale::data
