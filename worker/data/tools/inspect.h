#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/image/image.h"
#include "data/image/source.h"
#include "data/tools/convert.h"

namespace ganscale::data {

/// The contents of a dataset.
struct Inspection {
  std::int64_t record_count = 0;
  std::vector<std::string> label_names;
  std::vector<std::int64_t> records_of_label;  ///< one per label; empty without labels
  /// How often each "PNG 3x32x32" (encoding, channels, height, width) occurs in the sample;
  /// "damaged" for records that cannot be read.
  std::map<std::string, std::int64_t> kinds;
  std::int64_t sampled = 0;
  std::int64_t sampled_bytes = 0;
};

/// Counts the labels of all records and inspects up to `most_sampled` of them, evenly spaced.
/// Throws: StorageError of a read, as do the functions below: then the storage failed, and the
///         record may be undamaged.
Inspection inspect(const Source& source, std::int64_t most_sampled);

/// Returns evenly spaced images of a dataset as one RGB image. Each cell is cell_side pixels wide,
/// and gray if the record cannot be read.
Image contact_sheet(const Source& source, int rows, int columns, int cell_side);

/// Reads and decodes all records and verifies their checksums. Returns "reason: file, record,
/// offset" of each damaged one, in order.
std::vector<std::string> verify(const Source& source, int threads, const OnProgress& on_progress);

}  // namespace ganscale::data
