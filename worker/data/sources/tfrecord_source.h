#pragma once

#include <memory>

#include "data/formats/tfrecord_files.h"
#include "data/image/source.h"

namespace ganscale::data {

/// Opens TFRecord files whose examples have the features `shape` and `data`.
///
/// Verifies the checksums of a record when it is read. Creates the index of a file when it is first
/// opened (see record_index.h), and refuses a truncated file then.
/// Throws: DataError with file, record and offset; also if labels and records differ in number.
std::unique_ptr<Source> open_tfrecord(const TfrecordFiles& files);

}  // namespace ganscale::data
