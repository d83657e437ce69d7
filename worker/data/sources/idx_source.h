#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens a dataset in the IDX format (MNIST and similar), plain or gzipped.
///
/// path: an images file (`train-images-idx3-ubyte[.gz]`), or a folder with the file of the training
///       split. The labels are in the file in the same folder whose name has `labels` and `idx1` in
///       place of `images` and `idx3`; without it the dataset has no labels.
/// Throws: DataError: missing, truncated, another element type, labels of another count.
///
/// Format: LeCun et al., http://yann.lecun.com/exdb/mnist ("the IDX file format").
std::unique_ptr<Source> open_idx(const std::filesystem::path& path);

/// Returns whether open_idx() handles this path.
bool is_idx(const std::filesystem::path& path);

}  // namespace ganscale::data
