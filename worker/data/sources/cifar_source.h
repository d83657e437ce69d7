#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Opens the binary version of CIFAR-10 or CIFAR-100 (with its 100 fine labels).
///
/// path: a file (`data_batch_1.bin`, `test_batch.bin`, `train.bin`, `test.bin`), or the folder for
///       the training split. The label names are in `batches.meta.txt` or `fine_label_names.txt` in
///       the same folder.
/// Throws: DataError with file, record and offset: truncated, a batch is missing, a label is out of
///         range.
///
/// Format: https://www.cs.toronto.edu/~kriz/cifar.html ("Binary version").
std::unique_ptr<Source> open_cifar(const std::filesystem::path& path);

/// Returns whether open_cifar() handles this path.
bool is_cifar(const std::filesystem::path& path);

}  // namespace ganscale::data
