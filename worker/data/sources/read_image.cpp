#include "data/sources/read_image.h"

#include <string>

#include "base/error.h"

namespace ganscale::data {

void decode_read(const Source& source, std::int64_t index, const DecodePolicy& policy,
                 const Record& record, std::span<std::uint8_t> chw) {
  try {
    decode_into(record, policy, chw);
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + ": " + source.describe(index));
  }
}

void read_into(const Source& source, std::int64_t index, const DecodePolicy& policy, Record& record,
               std::span<std::uint8_t> chw) {
  source.read(index, record);
  decode_read(source, index, policy, record, chw);
}

void require_label(std::int64_t label, std::int64_t label_count, const Source& source,
                   std::int64_t index) {
  if (label >= 0 && label < label_count) return;
  throw DataError("label out of range: " + std::to_string(label) + ", labels " +
                  std::to_string(label_count) + ": " + source.describe(index));
}

}  // namespace ganscale::data
