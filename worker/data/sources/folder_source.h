#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Opens a folder of PNG and JPEG files at any depth, in the order of their names. Labels come from
/// a `dataset.json` in the folder, else from class folders (see labels_by_folder()).
///
/// Returns: nothing if there is no image in it.
std::unique_ptr<Source> open_folder(const std::filesystem::path& folder);

/// Opens a tar file of PNG and JPEG files; labels as of a folder.
///
/// The tar is walked over once when it is opened, by libarchive; records are then read in place.
/// Throws: DataError when it is damaged, or compressed and thus without random access.
std::unique_ptr<Source> open_tar(const std::filesystem::path& file);

}  // namespace ganscale::data
