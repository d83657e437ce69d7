#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a dataset of any supported format; the table is in the source file.
///
/// resolution: which to take of a dataset with several; if that one is missing, or for 0, the
///             highest.
/// Throws: DataError if the path does not exist, has no images or no supported format, with a
///         list of formats; if a label is too high to be one, with its record.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, int resolution = 0);

/// Returns ImageFiles::unread_images(); empty for a source of another kind.
std::string unread_images(const Source& source);

/// Logs a warning if there are unread images.
void warn_of_unread_images(const std::string& unread);

/// Logs a warning, with what to do, if reading the images in random order decodes blocks again and
/// again.
void warn_of_slow_shuffling(const ImageBlocks& blocks);

}  // namespace ganscale::data
