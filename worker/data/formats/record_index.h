#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/formats/file_bytes.h"

namespace ganscale::data {

/// The offsets of the frames of a TFRecord file, followed by the file size: record i is in
/// [offsets[i], offsets[i + 1]).
using RecordOffsets = std::vector<std::int64_t>;

/// Returns the offsets of a TFRecord file: from its index file if that is up to date, otherwise by
/// scanning the file once, which verifies the checksums of all lengths.
///
/// The index file is next to the data (`x.tfrecords.index`) or, if that folder is read-only, in the
/// user's cache folder (`${XDG_CACHE_HOME:-~/.cache}/ganscale/index`). It is up to date while it
/// has the data file's size and modification time. It is written atomically, so that ranks that
/// start together may each write it; if it cannot be written, the next start scans again. A gzip
/// file has no index, since it is unpacked at each start anyway. Of an object in S3, the index may have
/// been uploaded with it, and is up to date while it has the object's size; otherwise it is in the
/// cache folder.
///
/// Throws: DataError with file, record and offset if the file is truncated or damaged.
RecordOffsets record_offsets(const FileBytes& bytes);

/// Writes the index file of a new TFRecord file. Returns whether it could.
bool write_index(const std::filesystem::path& file, const RecordOffsets& offsets);

/// Returns the path where a data file's index is written: in the file system, wherever the data are.
std::filesystem::path index_path(const std::filesystem::path& file);

}  // namespace ganscale::data
