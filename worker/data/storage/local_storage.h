#pragma once

#include "data/storage/storage.h"

namespace ganscale::data {

/// Returns the file system. Its files are read with pread(): unlike with mmap(), a shrinking file or a
/// network failure is an error that names the file, not a signal.
const Storage& local_storage();

}  // namespace ganscale::data
