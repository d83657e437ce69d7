#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Opens images of the IDX format (MNIST and its kin), plain or gzip'ed.
///
/// path: an images file (`train-images-idx3-ubyte[.gz]`), or a folder that holds the training
///       split's. The labels are in the file beside it whose name has `labels` and `idx1` instead
///       of `images` and `idx3`; without it the data set has no labels.
/// Throws: DataError: missing, truncated, another element type, labels of another count.
///
/// Format: LeCun et al., http://yann.lecun.com/exdb/mnist ("the IDX file format").
std::unique_ptr<Source> open_idx(const std::filesystem::path& path);

/// Tells whether open_idx() is the one to ask.
bool is_idx(const std::filesystem::path& path);

}  // namespace ganscale::data
