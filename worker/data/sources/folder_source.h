#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a folder of image files at any depth, sorted by name. Labels come from a
/// `dataset.json` in the folder, otherwise from class folders (see labels_by_folder()).
///
/// Returns: null if it has no image of any format.
std::unique_ptr<Source> open_folder(const std::filesystem::path& folder);

}  // namespace ganscale::data
