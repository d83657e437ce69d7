#pragma once

#include <cstdint>
#include <span>

#include "data/image/decode.h"
#include "data/image/source.h"

namespace ganscale::data {

/// Reads a record over what `record` held and returns the shape of its image. Throws DataError with
/// file, record and offset.
Image read_shape(const Source& source, std::int64_t index, Record& record);

/// Decodes a record that was read from this source as decode_into() does. Throws DataError with
/// file, record and offset.
void decode_read(const Source& source, std::int64_t index, const DecodePolicy& policy,
                 const Record& record, std::span<std::uint8_t> chw);

/// Reads a record over what `record` held and decodes it as decode_into() does. Throws DataError
/// with file, record and offset.
void read_into(const Source& source, std::int64_t index, const DecodePolicy& policy, Record& record,
               std::span<std::uint8_t> chw);

/// Throws DataError, which names the record, unless its label is one of the run's.
void require_label(std::int64_t label, std::int64_t label_count, const Source& source,
                   std::int64_t index);

}  // namespace ganscale::data
