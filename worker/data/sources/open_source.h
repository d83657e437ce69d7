#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Opens a data set of any format we know; the table is in the source file.
///
/// resolution: of a set that holds its images in several, which to take; where that one is
///             missing, or for 0, the highest.
/// Throws: DataError when the path does not exist, holds no image or is of no known format; it
///         says what was looked for.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, int resolution = 0);

}  // namespace ganscale::data
