#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a dataset of any supported format; the table is in the source file.
///
/// resolution: which to take of a dataset with several; if that one is missing, or for 0, the
///             highest.
/// Throws: DataError if the path does not exist, has no images or is of no supported format, with a
///         list of formats.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, int resolution = 0);

}  // namespace ganscale::data
