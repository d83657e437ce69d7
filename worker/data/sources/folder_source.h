#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a folder of image files at any depth, sorted by name. Labels come from a
/// `dataset.json` in the folder, otherwise from class folders (see labels_by_folder()).
///
/// Returns: null if there is no image in it, of whatever format.
std::unique_ptr<Source> open_folder(const std::filesystem::path& folder);

/// Opens a tar file of image files, with labels as for a folder.
///
/// libarchive scans the tar once when it is opened; records are then read in place.
/// Throws: DataError if it is damaged, or compressed and thus without random access.
std::unique_ptr<Source> open_tar(const std::filesystem::path& file);

}  // namespace ganscale::data
