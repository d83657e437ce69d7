#include "data/sources/read_image.h"

#include <string>

#include "base/error.h"

namespace ganscale::data {
namespace {

/// Returns what `use` returns of a record, and adds the record to its DataErrors.
template <class Use>
auto naming(const Source& source, std::int64_t index, const Use& use) {
  try {
    return use();
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + ": " + source.describe(index));
  }
}

}  // namespace

Image read_shape(const Source& source, std::int64_t index, Record& record) {
  source.read(index, record);
  return naming(source, index, [&] { return image_shape(record); });
}

void decode_read(const Source& source, std::int64_t index, const DecodePolicy& policy,
                 const Record& record, std::span<std::uint8_t> chw) {
  naming(source, index, [&] { decode_into(record, policy, chw); });
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
