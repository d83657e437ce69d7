#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Opens the binary version of CIFAR-10 or CIFAR-100 (with its 100 fine labels).
///
/// path: one file (`data_batch_1.bin`, `test_batch.bin`, `train.bin`, `test.bin`), or the folder:
///       then the training split. The label names are in `batches.meta.txt` or
///       `fine_label_names.txt` beside it.
/// Throws: DataError with file, record and offset: truncated, a batch is missing, a label is out of
///         range.
///
/// Format: https://www.cs.toronto.edu/~kriz/cifar.html ("Binary version").
std::unique_ptr<Source> open_cifar(const std::filesystem::path& path);

/// Tells whether open_cifar() is the one to ask.
bool is_cifar(const std::filesystem::path& path);

}  // namespace ganscale::data
