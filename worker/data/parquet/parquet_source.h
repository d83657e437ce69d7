#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "data/image/source.h"

namespace ganscale::data {

/// How many bytes of decoded row groups a Parquet dataset keeps.
inline constexpr std::int64_t kKeptRowGroupBytes = std::int64_t{256} << 20;

/// Opens Parquet files with image files in a column, as the library `datasets` of Hugging Face writes
/// them, as one dataset: the rows of the files in the given order.
///
/// Images: a column of binary values, or of structs with a binary field `bytes`; if there are several, the
/// one named `image`, `img` or `images`.
/// Labels: the column that the schema's metadata of `datasets` calls a ClassLabel, with its names: `label`
/// if that is one, else the first. Without one, a column of integers named `label` or `labels`.
///
/// A read decodes the whole row group of the row; the groups used last are kept, up to `kept_bytes`.
/// Throws: DataError with file and row: damaged, truncated, no such column, files of different columns, a
///         label that is null or negative, an image that is only a path. StorageError as
///         FileBytes::read().
std::unique_ptr<Source> open_parquet(const std::vector<std::filesystem::path>& files,
                                     std::int64_t kept_bytes = kKeptRowGroupBytes);

}  // namespace ganscale::data
