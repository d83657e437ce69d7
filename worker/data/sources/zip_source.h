#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a zip archive of image files, sorted by name, such as the datasets of stylegan2-ada.
/// Labels come from `dataset.json`, otherwise from class folders. Of several files of the same
/// name, the last one in the directory counts.
///
/// Throws: DataError with file and offset if it is truncated or damaged.
std::unique_ptr<Source> open_zip(const std::filesystem::path& file);

}  // namespace ganscale::data
