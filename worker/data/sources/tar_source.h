#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens tar files of image files as one dataset: shards in the given order, the images of each
/// sorted by name.
///
/// Labels come from the files next to each image, as in WebDataset: its number in `NAME.cls`, or as
/// "label" in `NAME.json`, where NAME is the image's up to the first dot. Otherwise from the
/// outermost `dataset.json` of a single file in a folder that all images are in, and otherwise from
/// class folders (see labels_by_folder()). The first image decides, and the others must have the
/// same.
///
/// libarchive scans each file once when it is opened; records are then read in place.
/// Throws: DataError with file, member and offset: damaged, truncated, compressed and thus without
///         random access, an invalid label.
std::unique_ptr<Source> open_tar(const std::vector<std::filesystem::path>& files);

/// Opens the `*.tar` of a folder, or those that a pattern such as `train-{000..146}.tar` names.
///
/// Returns: null if the path is neither.
std::unique_ptr<Source> open_tar_shards(const std::filesystem::path& from);

}  // namespace ganscale::data
