#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// A folder of shards may have this many images as well, such as a preview beside its README.
inline constexpr std::int64_t kMostImagesOfShards = 10;

/// Opens a folder of image files at any depth, sorted by name. Labels come from a
/// `dataset.json` in the folder, otherwise from class folders (see labels_by_folder()).
///
/// Returns: null if it has no image of any format, or is a folder of shards: has `*.tar` or
///          `*.parquet` directly in it, and no more images at any depth than kMostImagesOfShards
///          or than shards.
std::unique_ptr<Source> open_folder(const std::filesystem::path& folder);

}  // namespace ganscale::data
