#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "data/image/source.h"

namespace ganscale::data {

/// Reads a record and uses it. Returns why it cannot be used; empty if it can.
///
/// use: what to do with the record once it is read; it may throw DataError.
///
/// Throws: StorageError of the read: the storage failed, and the record may be as good as any.
std::string damage_of(const Source& source, std::int64_t index, Record& record,
                      const std::function<void()>& use);

}  // namespace ganscale::data
