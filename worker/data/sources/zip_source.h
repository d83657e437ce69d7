#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Opens a zip archive of PNG and JPEG files, in the order of their names: the data sets of
/// stylegan2-ada, with labels from `dataset.json`; without that file from class folders.
///
/// Throws: DataError with file and offset when it is truncated or damaged.
std::unique_ptr<Source> open_zip(const std::filesystem::path& file);

}  // namespace ganscale::data
